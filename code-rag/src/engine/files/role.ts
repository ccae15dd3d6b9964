/**
 * What a file is for, judged from its path. Ranking puts tests, examples, generated code and barrels lower; it never
 * hides them.
 */

export type FileRole =
  | "source"
  | "test"
  | "example"
  | "generated"
  | "vendored"
  | "barrel"
  | "typing"
  | "docs"
  | "config"
  | "data";

const TEST_DIRECTORY =
  /(?:^|\/)(?:tests?|testing|specs?|__tests__|__mocks__|test-?data|testdata|fixtures?|e2e|[^/]*[._-]tests?|[^/]+Tests?)\//;
const TEST_FILE =
  /(?:^|\/)(?:test_[^/]*|[^/]*_test\.[^/.]+|[^/]*_spec\.[^/.]+|[^/]*[.-](?:test|spec|e2e|bench)\.[^/.]+|[^/]*(?:Test|Tests|Spec|TestCase|IT)\.(?:java|kt|scala|swift|cs|php|hs)|conftest\.py|[^/]*\.bats)$/;
const EXAMPLE_DIRECTORY =
  /(?:^|\/)(?:_?examples?|samples?|demos?|tutorials?|playground|sandbox|benchmarks?|bench|benches|cookbook|recipes)\//i;
const VENDORED_DIRECTORY =
  /(?:^|\/)(?:vendor|third[_-]?party|external|deps|node_modules|bower_components|site-packages)\//i;
const GENERATED_FILE =
  /(?:\.pb\.(?:go|cc|h)|_pb2(?:_grpc)?\.pyi?|\.g\.(?:dart|cs)|\.generated\.[^/.]+|\.designer\.cs|_generated\.[^/.]+|\.min\.[^/.]+|(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|yarn\.lock|Cargo\.lock|poetry\.lock|uv\.lock|composer\.lock|Gemfile\.lock|go\.sum))$/i;
const BARREL_FILE = /(?:^|\/)(?:__init__\.py|package-info\.java|mod\.rs|index\.(?:[cm]?[jt]sx?)|doc\.go)$/;
const DATA_FILE = /\.(?:json[5c]?|csv|tsv|svg|xml|lock|snap|po|txt|html?)$/i;
const CONFIG_FILE =
  /(?:\.(?:ya?ml|toml|ini|cfg|conf|properties|gradle|cmake)|(?:^|\/)(?:Dockerfile|Makefile|\.[^/]+rc))$/i;

/** @param defines whether the file declares anything: a barrel only passes on what others declare. */
export function fileRole(path: string, defines = true): FileRole {
  if (GENERATED_FILE.test(path)) return "generated";
  if (VENDORED_DIRECTORY.test(path)) return "vendored";
  if (TEST_FILE.test(path) || TEST_DIRECTORY.test(path)) return "test";
  if (EXAMPLE_DIRECTORY.test(path)) return "example";
  if (/\.(?:md|mdx|markdown|rst|adoc)$/i.test(path)) return "docs";
  if (!defines && BARREL_FILE.test(path)) return "barrel";
  if (/\.(?:d\.[cm]?ts|pyi|rbi)$/.test(path)) return "typing";
  if (CONFIG_FILE.test(path)) return "config";
  if (DATA_FILE.test(path)) return "data";
  return "source";
}
