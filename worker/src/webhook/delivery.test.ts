import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { readDelivery } from "./delivery.ts";

const GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958";

function headers(changes: Record<string, string | null> = {}): Headers {
  const result = new Headers({
    "X-GitHub-Event": "issues",
    "X-GitHub-Delivery": GUID,
    "X-GitHub-Hook-Installation-Target-Type": "integration",
    "X-GitHub-Hook-Installation-Target-ID": "42",
  });
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) result.delete(name);
    else result.set(name, value);
  }
  return result;
}

const key = (changes?: Record<string, string | null>) =>
  Buffer.from(readDelivery(headers(changes)).key).toString("hex");

test("a delivery's headers are read", () => {
  expect(readDelivery(headers())).toMatchObject({
    event: "issues",
    deliveryId: GUID,
    guid: GUID,
    hookTargetType: "integration",
    hookTargetId: "42",
  });
});

test("the key is the GUID's 16 bytes and 8 of where it came from", () => {
  const source = createHash("sha256").update("\0integration\x0042").digest("hex").slice(0, 16);
  expect(key()).toBe(GUID.replaceAll("-", "") + source);
});

test("an upper-case GUID is the same delivery", () => {
  expect(key({ "X-GitHub-Delivery": GUID.toUpperCase() })).toBe(key());
  expect(readDelivery(headers({ "X-GitHub-Delivery": GUID.toUpperCase() })).guid).toBe(GUID);
});

test("one GUID from another App, another kind of hook or another server is another delivery", () => {
  const keys = [
    key(),
    key({ "X-GitHub-Hook-Installation-Target-ID": "43" }),
    key({ "X-GitHub-Hook-Installation-Target-Type": "repository" }),
    key({ "X-GitHub-Hook-Installation-Target-Type": null, "X-GitHub-Hook-Installation-Target-ID": null }),
    key({ "X-GitHub-Enterprise-Host": "ghes.example" }),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(keys.map((each) => each.slice(0, 32))).size).toBe(1);
});

test("a delivery id of another form has a digest for its first bytes, and no guid", () => {
  for (const id of ["1717171717171", `{${GUID}}`, GUID.replaceAll("-", ""), `${GUID}0`, "x".repeat(500)]) {
    const delivery = readDelivery(headers({ "X-GitHub-Delivery": id }));
    expect(delivery).toMatchObject({ deliveryId: id, guid: null });
    expect(Buffer.from(delivery.key.subarray(0, 16))).toEqual(createHash("sha256").update(id).digest().subarray(0, 16));
    expect(key({ "X-GitHub-Delivery": id })).toBe(key({ "X-GitHub-Delivery": id }));
  }
});

test("deliveries without an id are never one another's duplicates", () => {
  const missing = { "X-GitHub-Delivery": null };
  expect(readDelivery(headers(missing))).toMatchObject({ deliveryId: null, guid: null });
  expect(key(missing)).not.toBe(key(missing));
});

test("an event header that is missing or no name is null", () => {
  for (const event of [null, "", "  ", "a b", "issues;", "<script>", "x".repeat(101)]) {
    expect(readDelivery(headers({ "X-GitHub-Event": event })).event, String(event)).toBeNull();
  }
  for (const event of ["projects_v2_item", "a-new-event"]) {
    expect(readDelivery(headers({ "X-GitHub-Event": event })).event).toBe(event);
  }
});
