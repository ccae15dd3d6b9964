/**
 * A light English stemmer: it joins the forms that programmers mix freely (`parse`, `parser`, `parsing`, `parsed`;
 * `validate`, `validation`, `validator`; `entries`, `entry`). Stems are keys, not words.
 */

const VOWEL = /[aeiouy]/;

/** The stem of a lower-case ASCII word. Words of up to three letters and words with digits come back as they are. */
export function stem(word: string): string {
  if (word.length < 4 || !isAsciiWord(word)) return word;
  let base = withoutPlural(word);
  base = withoutSuffix(base);
  return base.length > 4 && base.endsWith("e") ? base.slice(0, -1) : base;
}

function isAsciiWord(word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if (code < 97 || code > 122) return false;
  }
  return true;
}

function withoutPlural(word: string): string {
  if (!word.endsWith("s")) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (word.endsWith("ss") || word.endsWith("us") || word.endsWith("is")) return word;
  if (/(?:x|ch|sh|ss|zz)es$/.test(word)) return word.slice(0, -2);
  return word.slice(0, -1);
}

function withoutSuffix(word: string): string {
  for (const suffix of ["ation", "ing", "ion", "ed", "er", "or"]) {
    if (!word.endsWith(suffix)) continue;
    const base = word.slice(0, word.length - suffix.length);
    if (base.length < 3 || !VOWEL.test(base)) return word;
    if (suffix === "ation") return `${base}at`;
    return undoubled(base);
  }
  return word;
}

/** `runn` → `run`, but `call`, `pass`, `buzz` stay. */
function undoubled(base: string): string {
  const last = base.at(-1) as string;
  return base.length > 3 && last === base.at(-2) && !"lsz".includes(last) && !VOWEL.test(last)
    ? base.slice(0, -1)
    : base;
}
