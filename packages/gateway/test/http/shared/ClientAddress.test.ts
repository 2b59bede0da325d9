import { assert, describe, it } from "@effect/vitest"
import { clientAddress } from "../../../src/http/shared/ClientAddress.ts"

const from = (trusted: ReadonlyArray<string>, remoteAddress: string | undefined, forwarded?: string) =>
  clientAddress(trusted)({
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    socket: { remoteAddress } as never
  })

describe("clientAddress", () => {
  it("believes no header while no proxy is trusted", () => {
    assert.strictEqual(from([], "9.9.9.9", "1.1.1.1"), "9.9.9.9")
    assert.strictEqual(from(["10.0.0.0/8"], "9.9.9.9", "1.1.1.1"), "9.9.9.9")
  })

  it("takes the right-most address behind trusted proxies: those left of it the caller may have written", () => {
    const trusted = ["10.0.0.0/8", "::1", "fd00::/8"]
    for (const [remote, forwarded, expected] of [
      ["10.0.0.1", "6.6.6.6, 1.1.1.1", "1.1.1.1"],
      ["10.0.0.1", "6.6.6.6, 1.1.1.1, 10.2.0.1,10.3.0.1", "1.1.1.1"],
      ["::ffff:10.0.0.1", "1.1.1.1:5432", "1.1.1.1"],
      ["::1", "[2001:db8:1:2:3::4]:443", "2001:db8:1:2::/64"],
      ["fd00::5", "::ffff:1.1.1.1", "1.1.1.1"],
      ["10.0.0.1", undefined, "10.0.0.1"],
      ["10.0.0.1", "", "10.0.0.1"],
      ["10.0.0.1", "1.1.1.1, garbage", "10.0.0.1"],
      ["10.0.0.1", "1.1.1.1, unknown, 10.0.0.7", "10.0.0.7"],
      ["10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"]
    ] as const) {
      assert.strictEqual(from(trusted, remote, forwarded), expected, `${remote} ${forwarded}`)
    }
  })

  it("takes an IPv6 customer, who has 2^64 addresses, for one", () => {
    for (const [address, expected] of [
      ["2001:db8:0:1:aaaa::1", "2001:db8:0:1::/64"],
      ["2001:0DB8:0000:0001:bbbb:1:2:3", "2001:db8:0:1::/64"],
      ["2001:db8::1", "2001:db8:0:0::/64"],
      ["::1", "0:0:0:0::/64"],
      ["fe80::1%eth0", "fe80:0:0:0::/64"]
    ] as const) {
      assert.strictEqual(from([], address), expected)
    }
  })

  it("has a name for connections without an address", () => {
    assert.strictEqual(from(["10.0.0.0/8"], undefined, "1.1.1.1"), "")
  })
})
