/** Which language a file is in, and how that language is split into units. */

/** Grammars, by the name that `ParsePort` knows; hosts map them to `.wasm` files. */
export const GRAMMARS = [
  "bash",
  "c",
  "c-sharp",
  "cpp",
  "elixir",
  "go",
  "haskell",
  "hcl",
  "java",
  "javascript",
  "kotlin",
  "lua",
  "php",
  "python",
  "ruby",
  "rust",
  "scala",
  "swift",
  "tsx",
  "typescript",
  "zig",
] as const;

export type Grammar = (typeof GRAMMARS)[number];

/** `grammar`: unit query over a syntax tree; the others are small lexers of our own. `document`: the file is one unit. */
export type Splitter =
  | { readonly by: "grammar"; readonly grammar: Grammar }
  | { readonly by: "markdown" | "sql" | "windows" | "document" };

export interface Language {
  /** Shown to users, and the value of the `language` filter. */
  readonly id: string;
  readonly extensions: readonly string[];
  /** Whole file names, for files without a telling extension. */
  readonly filenames?: readonly string[];
  /** Interpreter names in a `#!` line, version digits removed. */
  readonly interpreters?: readonly string[];
  readonly splitter: Splitter;
}

const grammar = (name: Grammar): Splitter => ({ by: "grammar", grammar: name });
const windows: Splitter = { by: "windows" };

export const LANGUAGES: readonly Language[] = [
  { id: "python", extensions: ["py", "pyi", "pyw"], interpreters: ["python", "pypy"], splitter: grammar("python") },
  { id: "go", extensions: ["go"], splitter: grammar("go") },
  { id: "c", extensions: ["c", "h"], splitter: grammar("c") },
  {
    id: "cpp",
    extensions: ["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "tpp", "inl", "ino", "cu", "cuh"],
    splitter: grammar("cpp"),
  },
  {
    id: "javascript",
    extensions: ["js", "jsx", "mjs", "cjs"],
    interpreters: ["node", "bun"],
    splitter: grammar("javascript"),
  },
  {
    id: "typescript",
    extensions: ["ts", "mts", "cts"],
    interpreters: ["ts-node", "tsx", "deno"],
    splitter: grammar("typescript"),
  },
  { id: "tsx", extensions: ["tsx"], splitter: grammar("tsx") },
  { id: "java", extensions: ["java"], splitter: grammar("java") },
  { id: "rust", extensions: ["rs"], splitter: grammar("rust") },
  {
    id: "ruby",
    extensions: ["rb", "rake", "gemspec", "ru"],
    filenames: ["Rakefile", "Gemfile"],
    interpreters: ["ruby"],
    splitter: grammar("ruby"),
  },
  { id: "php", extensions: ["php", "phtml"], interpreters: ["php"], splitter: grammar("php") },
  { id: "csharp", extensions: ["cs", "csx"], splitter: grammar("c-sharp") },
  { id: "kotlin", extensions: ["kt", "kts"], splitter: grammar("kotlin") },
  { id: "swift", extensions: ["swift"], splitter: grammar("swift") },
  { id: "scala", extensions: ["scala", "sc", "sbt"], splitter: grammar("scala") },
  {
    id: "shell",
    extensions: ["sh", "bash", "zsh", "ksh", "bats"],
    filenames: [".bashrc", ".bash_profile", ".profile", ".zshrc"],
    interpreters: ["sh", "bash", "zsh", "ksh", "dash"],
    splitter: grammar("bash"),
  },
  { id: "elixir", extensions: ["ex", "exs"], interpreters: ["elixir"], splitter: grammar("elixir") },
  { id: "haskell", extensions: ["hs", "hsc"], interpreters: ["runhaskell", "runghc"], splitter: grammar("haskell") },
  { id: "lua", extensions: ["lua", "rockspec"], interpreters: ["lua", "luajit"], splitter: grammar("lua") },
  { id: "zig", extensions: ["zig", "zon"], splitter: grammar("zig") },
  { id: "terraform", extensions: ["tf", "hcl"], splitter: grammar("hcl") },
  { id: "tfvars", extensions: ["tfvars"], splitter: { by: "document" } },
  { id: "markdown", extensions: ["md", "mdx", "markdown"], splitter: { by: "markdown" } },
  { id: "sql", extensions: ["sql"], splitter: { by: "sql" } },
  { id: "vue", extensions: ["vue"], splitter: windows },
  { id: "svelte", extensions: ["svelte"], splitter: windows },
  { id: "html", extensions: ["html", "htm"], splitter: windows },
  { id: "css", extensions: ["css", "scss", "sass", "less"], splitter: windows },
  { id: "yaml", extensions: ["yaml", "yml"], splitter: windows },
  { id: "toml", extensions: ["toml"], splitter: windows },
  { id: "json", extensions: ["json", "jsonc", "json5"], splitter: windows },
  { id: "xml", extensions: ["xml"], splitter: windows },
  { id: "dockerfile", extensions: ["dockerfile"], filenames: ["Dockerfile", "Containerfile"], splitter: windows },
  { id: "make", extensions: ["mk"], filenames: ["Makefile", "GNUmakefile", "makefile"], splitter: windows },
];

/** Any other text. */
export const PLAIN_TEXT: Language = { id: "text", extensions: [], splitter: windows };
