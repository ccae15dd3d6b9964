import { describe, expect, it } from "vitest";
import { parsePayload } from "./parse.ts";

const FORM = "application/x-www-form-urlencoded";
const encoder = new TextEncoder();

function bytes(text: string): Uint8Array {
  return encoder.encode(text);
}

/** What a body is read as: its value, or the reason why it is refused. */
function read(body: string | Uint8Array, contentType: string | null = "application/json"): unknown {
  const result = parsePayload(typeof body === "string" ? bytes(body) : body, contentType);
  if ("rejection" in result) return result.rejection.reason;
  // Small payloads are parsed whole: the text that is kept says the same.
  expect(result.value).toEqual(
    JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(result.json)),
  );
  return result.value;
}

describe("the body of a webhook", () => {
  it("keeps every character", () => {
    const payload = { title: "😀\u2028é", literal: "\\u00e9", nul: "a\u0000b", lone: "\ud800" };
    expect(read(JSON.stringify(payload))).toEqual(payload);
  });

  it("may begin with one byte order mark, which is not kept", () => {
    const result = parsePayload(bytes('\ufeff{"a":1}'), "application/json");
    expect("json" in result && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(result.json)).toBe(
      '{"a":1}',
    );
    expect(read("\ufeff\ufeff{}")).toBe("not JSON at byte 3: Expected a value");
  });

  it("is JSON whatever the media type's case and parameters, and where there is none", () => {
    for (const type of [
      "application/json; charset=utf-8",
      "Application/JSON;charset=UTF-8",
      " application/json ",
      "",
      null,
    ]) {
      expect(read('{"a":1}', type)).toEqual({ a: 1 });
    }
  });

  it.each([
    [new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), "it is not valid UTF-8"],
    // A surrogate in UTF-8, an overlong slash, a truncated sequence.
    [new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), "it is not valid UTF-8"],
    [new Uint8Array([0x22, 0xc0, 0xaf, 0x22]), "it is not valid UTF-8"],
    [new Uint8Array([0x22, 0xe2, 0x82, 0x22]), "it is not valid UTF-8"],
    ["", "not JSON at byte 0: Text ends where a value should stand"],
    ['{"a":1,}', "not JSON at byte 7: Expected a member name"],
    ['{"é":tru}', "not JSON at byte 6: Unknown word"],
    ["null", "it must be an object, not null"],
    ["[]", "it must be an object, not an array"],
    ['"x"', "it must be an object, not a string"],
    ["1", "it must be an object, not a number"],
    ["true", "it must be an object, not a boolean"],
  ])("is refused: %s", (body, reason) => {
    expect(read(body)).toBe(reason);
  });

  it("is refused with any other content type", () => {
    const reason = "the content type must be application/json or application/x-www-form-urlencoded";
    for (const type of ["text/plain", "multipart/form-data; boundary=x", "application/jsonp"]) {
      expect(read("{}", type)).toBe(reason);
    }
  });
});

describe("a form's payload", () => {
  const payload = { title: "a b+c%20 & = é 😀 \u2028 % %zz", n: [1, 2] };

  it.each([
    ["encodeURIComponent", encodeURIComponent(JSON.stringify(payload))],
    ["URLSearchParams", new URLSearchParams({ p: JSON.stringify(payload) }).toString().slice(2)],
    [
      "every byte escaped, small hex digits",
      [...bytes(JSON.stringify(payload))].map((b) => `%${b.toString(16).padStart(2, "0")}`).join(""),
    ],
  ])("is read as the same JSON: %s", (_, encoded) => {
    expect(read(`payload=${encoded}`, FORM)).toEqual(payload);
    expect(read(`payload=${encoded}`, `${FORM.toUpperCase()}; charset=utf-8`)).toEqual(payload);
    expect(read(`a=1&&b&payload=${encoded}&payload=%7B%7D&c=2`, FORM)).toEqual(payload);
    expect(read(`%70ayload=${encoded}`, FORM)).toEqual(payload);
  });

  it("agrees with URLSearchParams on what is not escaped as it should be", () => {
    for (const value of [
      '{"a":"%"}',
      '{"a":"%4"}',
      '{"a":"%%41"}',
      '{"a":"é%C3%A9"}',
      '{"a"="b"}',
      '{"a":"%G1"}',
      '""%',
    ]) {
      const form = `payload=${value}`;
      const expected = new URLSearchParams(form).get("payload")!;
      let json: unknown;
      try {
        json = JSON.parse(expected);
      } catch {
        json = expect.stringMatching(/^not JSON at byte/);
      }
      if (typeof json === "string") json = "it must be an object, not a string";
      expect(read(form, FORM)).toEqual(json);
    }
  });

  it("is refused where it is missing, or bad inside", () => {
    const missing = 'the form has no field "payload"';
    for (const form of ["", "payloads={}", "Payload={}", "a=payload", "&", "payload%3D=1"])
      expect(read(form, FORM)).toBe(missing);
    expect(read("payload", FORM)).toMatch(/^not JSON at byte 0/);
    expect(read("payload=&payload=%7B%7D", FORM)).toMatch(/^not JSON at byte 0/);
    expect(read("payload=%7B%22a%22%3A%22%FF%22%7D", FORM)).toBe("it is not valid UTF-8");
    expect(read("payload=%5B%5D", FORM)).toBe("it must be an object, not an array");
  });
});

describe("a body above 1 MiB", () => {
  const commits = Array.from({ length: 20_000 }, (_, id) => ({ id, message: `message ${id} é` }));
  const payload = { ref: "refs/heads/main", commits, repository: { id: 7, full_name: "o/r" }, sender: { login: "s" } };
  const text = JSON.stringify(payload).replace('"ref"', `"padding":"${"x".repeat(1_000_000)}","ref"`);

  it("is outlined, and its text kept whole", () => {
    for (const [body, type] of [
      [text, "application/json"],
      [`\ufeff${text}`, "application/json"],
      [`payload=${encodeURIComponent(text)}`, FORM],
    ] as const) {
      const result = parsePayload(bytes(body), type);
      if ("rejection" in result) throw new Error(result.rejection.reason);
      expect(new TextDecoder().decode(result.json) === text).toBe(true);
      expect(result.value).toEqual({ ...payload, padding: "x".repeat(16_384), commits: commits.slice(0, 50) });
    }
  });

  it("is refused for the same reasons", () => {
    expect(read(`${text}x`)).toBe(`not JSON at byte ${bytes(text).length}: Unexpected text after the value`);
    expect(read(`\ufeff\ufeff${text}`)).toBe("not JSON at byte 3: Expected a value");
    expect(read(`[${text}]`)).toBe("it must be an object, not an array");
    const broken = bytes(text);
    broken[broken.indexOf(0xc3) + 1] = 0x20;
    expect(read(broken)).toBe("it is not valid UTF-8");
  });

  it("is taken at 100,000 levels", () => {
    const deep = `{"a":${"[".repeat(600_000)}${"]".repeat(600_000)},"b":1}`;
    const result = parsePayload(bytes(deep), null);
    expect("value" in result && result.value.b).toBe(1);
    const small = parsePayload(
      bytes(deep.replaceAll("[".repeat(500_000), "").replaceAll("]".repeat(500_000), "")),
      null,
    );
    expect("value" in small && small.value.b).toBe(1);
  });
});
