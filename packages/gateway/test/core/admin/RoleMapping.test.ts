import { assert, describe, it } from "@effect/vitest"
import { mapRoles } from "../../../src/core/admin/RoleMapping.ts"
import type { RoleRule } from "../../../src/core/domain/Settings.ts"

const rule = (more: Partial<RoleRule>): RoleRule => ({
  group: undefined,
  role: undefined,
  team: undefined,
  teamRole: "member",
  ...more
})

const rules = [
  rule({ group: "gw-admins", role: "admin" }),
  rule({ group: "gw-auditors", role: "viewer" }),
  rule({ group: "team-*", team: "*" }),
  rule({ group: "leads-*", team: "*", teamRole: "admin" })
]

const mapping = (more: object = {}) => ({ groups: "groups", require: [], rules, ...more })

describe("mapping groups to roles", () => {
  for (const [groups, expected] of [
    [["gw-admins"], ["admin"]],
    [["gw-auditors", "gw-admins"], ["admin"]],
    [
      ["team-red", "leads-red", "team-blue"],
      ["admin in red", "member in blue"]
    ],
    [["leads-red", "team-red"], ["admin in red"]],
    // A wildcard takes one segment, in the exact case, and something that is a name of a team.
    [["team-a/b"], undefined],
    [["Team-red"], undefined],
    [["GW-ADMINS"], undefined],
    [["team-"], undefined],
    [["team-<script>"], undefined],
    [["team-../x"], undefined],
    [["xteam-red"], undefined],
    [["gw-admins-of-another"], undefined],
    [[], undefined]
  ] as const) {
    it(`${JSON.stringify(groups)} gives ${expected?.join(", ") ?? "no role, so no sign-in"}`, () => {
      const mapped = mapRoles("corp", mapping(), { sub: "1", groups })
      const roles = mapped.refusal === undefined ? mapped.assignments : undefined
      assert.deepStrictEqual(
        roles?.map(({ role, team }) => (team === "" ? role : `${role} in ${team}`)),
        expected === undefined ? undefined : [...expected]
      )
    })
  }

  it("reads groups behind a JSON pointer, and one group as a text", () => {
    const claims = { resource_access: { "gateway/x": { roles: "gw-admins" } } }
    const mapped = mapRoles("corp", mapping({ groups: "/resource_access/gateway~1x/roles" }), claims)
    assert.deepStrictEqual(mapped, { assignments: [{ team: "", role: "admin" }] })
  })

  it("refuses absent groups, which are not an empty list, and says which claims there are", () => {
    for (const claims of [{}, { groups: null }, { groups: { gw: true } }, { __proto__: { groups: ["gw-admins"] } }]) {
      const { refusal = "" } = mapRoles("corp", mapping(), { sub: "1", ...claims })
      assert.include(refusal, `corp: the ID token has no claim "groups" (it has: sub`)
    }
  })

  it("refuses what Entra sends in place of more than 200 groups", () => {
    for (const claims of [{ _claim_names: { groups: "src1" } }, { hasgroups: true }]) {
      assert.include(mapRoles("corp", mapping(), claims).refusal, "more than 200")
    }
  })

  it("lets only members of a required group sign in, and anybody where a line names no group", () => {
    const anybody = mapping({ rules: [rule({ role: "viewer" })] })
    assert.deepStrictEqual(mapRoles("corp", anybody, {}), { assignments: [{ team: "", role: "viewer" }] })
    const required = { ...anybody, require: ["gw-users"] }
    assert.include(mapRoles("corp", required, { groups: ["x"] }).refusal, "Only members of gw-users may sign in")
    assert.isUndefined(mapRoles("corp", required, { groups: ["gw-users"] }).refusal)
  })
})
