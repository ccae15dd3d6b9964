/** Words that a question is made of and that say nothing about code. Dropped from queries, kept in documents. */
const STOP_WORDS = new Set(
  `a about after all also an and any are as at be been being between both but by can could did do does doing each etc for
  from give given had has have having here how i if in into is it its just let like may me more most my no nor not of on
  only or other our out over own same shall should so some such than that the their them then there these they this those
  through to too under until up upon us use used uses using very via was we were what when where whether which while who
  whom whose why will with within without would you your show find tell explain please code implement implemented
  implementation implements logic handled happen happens work works`.split(/\s+/),
);

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}
