/**
 * IP addresses and ranges, IPv4 and IPv6 alike. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`, RFC 4291 §2.5.5.2)
 * is the IPv4 address that it carries.
 */
import ipaddr from "ipaddr.js";

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** An address and how many of its leading bits count. */
export type IpRange = readonly [IpAddress, number];

/** Parses an address; null for anything else, among it the shorthand IPv4 forms (`127.1`, `0x7f.1`) and zone ids. */
export function parseAddress(text: string): IpAddress | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (text.includes("%") || !ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Parses a CIDR range, or a bare address as the range that holds only it; null for anything else. */
export function parseRange(text: string): IpRange | null {
  const [base = "", length, ...rest] = text.split("/");
  const address = parseAddress(base);
  if (address === null || rest.length > 0) return null;
  const width = address.toByteArray().length * 8;
  if (length === undefined) return [address, width];
  if (!/^\d{1,3}$/.test(length)) return null;
  // The length of a mapped range counts from the start of the IPv6 address.
  const bits = Number(length) - (width === 32 && base.includes(":") ? 96 : 0);
  return bits >= 0 && bits <= width ? [address, bits] : null;
}

/** Whether any of the ranges holds the address. */
export function inRanges(address: IpAddress, ranges: readonly IpRange[]): boolean {
  return ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}

/** Whether an address is this machine's own (127.0.0.0/8, ::1). */
export function isLoopback(address: IpAddress): boolean {
  return address.range() === "loopback";
}

/** Whether a URL's host name means this machine: `localhost` or a loopback address. */
export function isLoopbackHost(hostname: string): boolean {
  if (hostname === "localhost") return true;
  const address = parseAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
  return address !== null && isLoopback(address);
}
