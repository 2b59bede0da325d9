/** What keys say of teams, users and budgets, with the rows of those. */
import { matchesGlob } from "@model-gateway/gateway/internal/core/collections/Glob"
import type { Entry } from "../KeysAccount.ts"
import { holdModel } from "../columns/ModelColumns.ts"
import { budgetColumns, MEMBERS_BUDGET } from "../columns/OwnerColumns.ts"
import type { Draft } from "../Draft.ts"
import { type ReadOptions, readRow, type Row } from "../ReadKeys.ts"
import { keepOrigin, type Related, teamName } from "../Related.ts"
import { endUsersIn, perEndUserOf } from "./EndUserRows.ts"
import { besideKeys, type Owner, teamsIn, usersIn } from "./OwnerRows.ts"
import type { Tables } from "./LitellmTables.ts"

const KEPT = "kept in `metadata.litellm`"
const HELD = "has a budget, limits or a list of models"

export const relatedIn = (tables: Tables, options: ReadOptions): Related => {
  const taken = new Set<string>()
  const teams = teamsIn(tables.teams, taken, options)
  const users = usersIn(tables.users, taken, options)
  const budgets = budgetsIn(tables.budgets, options)
  const members = new Set(tables.members.map(({ team, user }) => `${team}\n${user}`))
  const used = new Set<Draft>()

  /** Most are about features that there are none of here, or hold nothing. */
  const notePermission = ({ account, ids }: Draft): void => {
    const permission = ids.get("object_permission_id")
    if (permission === undefined) return
    if (tables.permissions.has(permission)) {
      account.looser("object_permission_id", "it holds to lists of models, tools or vector stores")
    } else account.leftOut("object_permission_id", "it forbids nothing that there is here")
  }
  for (const { draft } of users.values()) notePermission(draft)
  for (const { draft } of teams.values()) {
    notePermission(draft)
    const organization = draft.ids.get("organization_id")
    if (organization === undefined) continue
    if (tables.organizations.has(organization)) draft.account.looser("organization_id", `its organization ${HELD}`)
    else draft.account.leftOut("organization_id", "teams are of no organization")
  }

  const resolve: Related["resolve"] = (key) => {
    const { account, ids } = key
    const id = (column: string) => ids.get(column) ?? ""
    const team = teams.get(id("team_id"))
    const user = users.get(id("user_id"))
    const budget = budgets.get(id("budget_id"))

    notePermission(key)
    if (key.hasTeamsModels && team === undefined) {
      account.looser("models", "all-team-models: there is no team whose models they would be")
    }
    if (team !== undefined) {
      joinTeam(key, team, "team_id")
      holdTo(key, team, "its team")
    } else if (ids.has("team_id")) {
      key.team = teamName(id("team_id"))
      account.changed("team_id", `LiteLLM has no such team any more: ${key.team}`)
    }

    if (budget !== undefined) {
      used.add(budget)
      inherit(key, budget)
    } else if (ids.has("budget_id")) account.leftOut("budget_id", "LiteLLM has no such budget any more")

    keepOrigin(key, "user_id", KEPT)
    if (user !== undefined && !ids.has("team_id")) {
      used.add(user.draft)
      if (user.isShared) joinTeam(key, user, "user_id")
      holdTo(key, user, "its user")
    } else if (user !== undefined && hasLimits(user.draft)) {
      account.looser("user_id", "its user has limits, which count for keys of teams too")
    }
    if (user !== undefined && team?.draft.ids.has(MEMBERS_BUDGET) === true) {
      account.looser("user_id", "each user of the team has a budget of their own in it")
    }
    if (members.has(`${id("team_id")}\n${id("user_id")}`)) {
      account.looser("user_id", "its user has a budget, limits or a list of models of their own in the team")
    }
    keepOrigin(key, "organization_id", KEPT)
    if (tables.organizations.has(id("organization_id"))) account.looser("organization_id", `its organization ${HELD}`)
    keepOrigin(key, "project_id", KEPT)
    if (tables.projects.has(id("project_id"))) account.looser("project_id", `its project ${HELD}`)
    keepOrigin(key, "agent_id", "kept in `metadata.litellm`; limits of its agent are in another table")
  }

  const finish: Related["finish"] = (spentOfKeys) => {
    const owners = [
      ...teams.values(),
      ...[...users.values()].filter(({ draft, isShared }) => isShared && used.has(draft))
    ]
    for (const { draft, isShared, team } of users.values()) {
      if (isShared) draft.account.changed("user_id", `the team ${team.name}: what its keys share`)
      else draft.account.notNeeded("user_id", "its keys share no budget and no limit")
    }
    const endUsers = endUsersIn(tables.endUsers, budgets, inherit, options)
    for (const budget of endUsers.used) used.add(budget)
    const { endUserBudget } = options
    const defaultBudget = budgets.get(endUserBudget ?? "")
    if (defaultBudget !== undefined) used.add(defaultBudget)
    const byDefault =
      endUserBudget === undefined ? undefined : perEndUserOf(endUserBudget, defaultBudget, inherit, options)
    const ofEndUsers = byDefault === undefined ? endUsers.accounts : [...endUsers.accounts, byDefault.account]
    const made = owners.map((owner) => besideKeys(owner, spentOfKeys.get(owner.team.name) ?? 0))
    const others = [...[...users.values()].map(({ draft }) => draft), ...budgets.values()]
    const read = [...[...teams.values()].map(({ draft }) => draft), ...others.filter((draft) => used.has(draft))]
    return {
      teams: made,
      endUsers: endUsers.found,
      perEndUser: byDefault?.template ?? null,
      entries: [
        ...read.flatMap(({ account }) => account.entries),
        ...ofEndUsers.flatMap(({ entries }) => entries),
        ...others.flatMap((draft) => (used.has(draft) ? [] : [unused(draft)]))
      ],
      problems: [...read.map(({ account }) => account), ...ofEndUsers].flatMap(({ problems }) => problems)
    }
  }
  return { resolve, finish }
}

const budgetsIn = (rows: ReadonlyArray<Row>, options: ReadOptions): ReadonlyMap<string, Draft> =>
  new Map(
    rows.map((row) => {
      const draft = readRow(row, budgetColumns, "its keys are disabled", options)
      const { account, budgetDuration, maxBudget } = draft
      account.carried("budget_id")
      if (maxBudget !== undefined) account.carried("max_budget")
      if (budgetDuration !== undefined) account.carried("budget_duration")
      return [draft.ids.get("budget_id") ?? "", draft]
    })
  )

const hasLimits = ({ limits, perModel }: Draft): boolean =>
  perModel.size > 0 || Object.values(limits).some((limit) => limit !== undefined)

/** A row that is about no key that comes along: one word for all of it. */
const unused = ({ account: { at }, ids }: Draft): Entry => ({
  at,
  column: ids.has("budget_id") ? "budget_id" : "user_id",
  outcome: "left_out",
  message: ids.has("budget_id") ? "no key and no end user has this budget" : "no key is theirs but those of teams",
  isLooser: false
})

const joinTeam = (key: Draft, { team: { name } }: Owner, column: string): void => {
  key.team = name
  if (name === key.ids.get(column)) key.account.carried(column)
  else key.account.changed(column, `the team ${name}`)
}

/** What holds for all keys of the owner holds for this one. */
const holdTo = (key: Draft, owner: Owner, who: string): void => {
  key.isBlocked ||= owner.isBlocked
  key.isLooser ||= owner.draft.account.isLooser
  const { models } = owner.draft
  if (models.length === 0) return
  const both = inBoth(key.models, models)
  if (both.length === 0) return key.account.forbids("models", `${who} may use none of them`)
  if (both.join() !== key.models.join()) key.account.changed("models", `those that ${who} may use`)
  key.models = both
}

/** Names and patterns that two lists allow; an empty list allows all. */
const inBoth = (ones: ReadonlyArray<string>, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (ones.length === 0) return others
  const allowed = (by: ReadonlyArray<string>) => (name: string) => by.some((pattern) => matchesGlob(pattern, name))
  return [...new Set([...ones.filter(allowed(others)), ...others.filter(allowed(ones))])]
}

/** LiteLLM takes from the budget what the key itself does not say. */
const inherit = (key: Draft, budget: Draft): void => {
  const { account, budgetFrom, limits } = key
  account.carried("budget_id")
  limits.rpm ??= budget.limits.rpm
  limits.tpm ??= budget.limits.tpm
  key.isLooser ||= budget.account.isLooser
  key.budgetFrom = {
    amount: key.maxBudget === undefined ? "budget_id" : budgetFrom.amount,
    duration: key.budgetDuration === undefined ? "budget_id" : budgetFrom.duration
  }
  key.maxBudget ??= budget.maxBudget
  key.budgetDuration ??= budget.budgetDuration
  key.budgetResetAt ??= budget.budgetResetAt
  for (const [name, one] of budget.perModel) holdModel(key, name, { ...one, column: "budget_id" })
}
