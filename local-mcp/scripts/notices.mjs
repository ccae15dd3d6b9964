/** The licences of what a build holds: they ask that their text goes with every copy. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const COPYRIGHT = /^\s*(?:portions )?copyright\b.*$/gim;

/**
 * One comment for the top of a built file: which packages are in it, whose they are, and each licence's text once.
 *
 * @param {string} root absolute
 * @param {string[]} inputs paths of esbuild's metafile, relative to `root`
 * @param {string} version of this product
 */
export function noticesOf(root, inputs, version) {
  const packages = foldersOf(inputs).map((folder) => describe(join(root, folder)));
  packages.sort((a, b) => (a.name < b.name ? -1 : 1));
  const texts = [...new Set(packages.map(({ text }) => text))];
  const lines = packages.map(
    ({ name, version, licence, holders, text }) =>
      `${name} ${version} (${licence}, text ${texts.indexOf(text) + 1}) ${holders.join("; ")}`,
  );
  return comment(
    [
      `github-webhook-mcp ${version}, MIT. Built from local-mcp/src by "npm run build:bridge"; do not edit.`,
      "",
      "It holds these packages:",
      ...lines,
      ...texts.flatMap((text, i) => ["", `--- text ${i + 1} ---`, text]),
    ].join("\n"),
  );
}

/** The folders of the packages that files of `node_modules` belong to, each once. @param {string[]} inputs */
function foldersOf(inputs) {
  const found = inputs.map((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]);
  return [...new Set(found.filter((folder) => folder !== undefined))];
}

/** @param {string} folder */
function describe(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry));
  if (!file || !existsSync(join(folder, file))) throw new Error(`${name} ${version} has no licence file`);
  const text = readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n");
  const holders = (text.match(COPYRIGHT) ?? []).map((line) => line.trim()).filter((line) => /\d{4}/.test(line));
  const body = text.replace(COPYRIGHT, (line) => (/\d{4}/.test(line) ? "" : line));
  return { name, version, licence: license, holders, text: tidy(body) };
}

/** Without what differs between copies of one licence and means nothing: line breaks, headings, trailing spaces. */
function tidy(text) {
  return text
    .replace(/^\W*(the )?(mit|isc|bsd.*) licen[cs]e( \(.*\))?\W*$/gim, "")
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s+/g, " ").trim())
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

function comment(text) {
  const lines = text.replaceAll("*/", "* /").split("\n");
  return ["/*!", ...lines.map((line) => ` * ${line}`.trimEnd()), " */"].join("\n");
}
