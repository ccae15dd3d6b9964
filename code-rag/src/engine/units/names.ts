/** Names out of the text of declarations. */

/** `Buf<T>::Buf` → `Buf::Buf`: type arguments go, however deep they nest. */
export function withoutTypeArguments(name: string): string {
  let depth = 0;
  let bare = "";
  for (const character of name) {
    if (character === "<") depth++;
    else if (character === ">" && depth > 0) depth--;
    else if (depth === 0) bare += character;
  }
  return bare.trim();
}
