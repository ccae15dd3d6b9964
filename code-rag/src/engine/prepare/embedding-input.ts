/** What is embedded for a chunk: its unit's summary where a model wrote one, else its name, its comment and its text. */
export function embeddingInput(symbol: string, doc: string, text: string, summary?: string | null): string {
  return summary ? `${symbol}\n${summary}` : `${symbol}\n${doc}\n${text}`;
}
