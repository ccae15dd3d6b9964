/**
 * Which repositories weights are chosen on, and which check them. Fixed, and split within each language: the last of
 * every two, in the order of `repos.json`; a language with one repository checks.
 */
export function isHeldOut(repository: { readonly name: string }): boolean {
  return HELD_OUT.has(repository.name);
}

const HELD_OUT: ReadonlySet<string> = new Set([
  "bash-it",
  "nlohmann-json",
  "messagepack-csharp",
  "plug",
  "xmonad",
  "axios",
  "telescope.nvim",
  "click",
  "aiohttp",
  "serde",
  "vapor",
  "jackson-databind",
  "sinatra",
  "kotlinx-coroutines",
  "zig-clap",
]);
