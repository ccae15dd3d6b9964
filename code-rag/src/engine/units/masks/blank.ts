/** The text with a range blanked: same length, same line breaks. */
export function blank(text: string): string {
  return text.replace(/[^\r\n]/g, " ");
}
