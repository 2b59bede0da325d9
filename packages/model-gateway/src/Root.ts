/** All commands of `model-gateway`. */
import { Command } from "effect/cli"
import { audit } from "./admin/AuditCommand.ts"
import { budgets } from "./admin/BudgetsCommand.ts"
import { cache } from "./admin/CacheCommand.ts"
import { config } from "./admin/ConfigCommand.ts"
import { deployments } from "./admin/DeploymentsCommand.ts"
import { tokens, users, whoami } from "./admin/IdentityCommands.ts"
import { keys } from "./admin/KeysCommand.ts"
import { login, logout } from "./admin/LoginCommand.ts"
import { nodes } from "./admin/NodesCommand.ts"
import { ready } from "./admin/ReadyCommand.ts"
import { requests } from "./admin/RequestsCommand.ts"
import { sessions } from "./admin/SessionsCommand.ts"
import { spend } from "./admin/SpendCommand.ts"
import { traffic } from "./admin/TrafficCommand.ts"
import { endUsers } from "./admin/EndUsersCommand.ts"
import { teams } from "./admin/TeamsCommand.ts"
import { alerts } from "./setup/AlertsCommand.ts"
import { catalogue } from "./catalogue/CatalogueCommand.ts"
import { check } from "./setup/CheckCommand.ts"
import { connect } from "./connect/ConnectCommand.ts"
import { demo } from "./demo/DemoCommand.ts"
import { identity } from "./setup/IdentityCommand.ts"
import { importing } from "./import/ImportCommand.ts"
import { init } from "./setup/InitCommand.ts"
import { ledger } from "./ledger/LedgerCommand.ts"
import { openapi } from "./OpenApi.ts"
import { providers } from "./setup/ProvidersCommand.ts"
import { router } from "./router/RouterCommand.ts"
import { product } from "./Product.ts"
import { serve } from "./serve/Serve.ts"
import { store } from "./store/StoreCommand.ts"

export const root = product.pipe(
  Command.withSubcommands([
    {
      group: "Set up and run",
      commands: [demo, init, check, importing, serve, connect, providers, catalogue, alerts, identity]
    },
    {
      group: "Administer a running gateway",
      commands: [keys, teams, endUsers, budgets, deployments, traffic, spend, requests, cache, ready, nodes, config]
    },
    { group: "Who may administer it", commands: [login, logout, whoami, users, tokens, sessions, audit] },
    { group: "Look into the store", commands: [ledger, store] },
    { group: "Route by difficulty", commands: [router] },
    { group: "For programs", commands: [openapi] }
  ]),
  Command.withExamples([
    { command: "model-gateway demo", description: "Run the demo: no configuration, no key" },
    { command: "model-gateway init", description: "Write a configuration file to start from" },
    {
      command: "model-gateway keys create --name my-app --budget 10/day",
      description: "Create a key for an application"
    }
  ])
)
