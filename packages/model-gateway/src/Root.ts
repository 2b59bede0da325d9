/**
 * All commands of `model-gateway`.
 */
import { Command } from "effect/cli"
import { audit } from "./admin/Audit.ts"
import { budgets } from "./admin/Budgets.ts"
import { config } from "./admin/Config.ts"
import { deployments } from "./admin/Deployments.ts"
import { keys } from "./admin/Keys.ts"
import { nodes } from "./admin/Nodes.ts"
import { ready } from "./admin/Ready.ts"
import { requests } from "./admin/Requests.ts"
import { sessions } from "./admin/Sessions.ts"
import { spend } from "./admin/Spend.ts"
import { traffic } from "./admin/Traffic.ts"
import { teams } from "./admin/Teams.ts"
import { alerts } from "./setup/Alerts.ts"
import { catalogue } from "./catalogue/Catalogue.ts"
import { check } from "./setup/Check.ts"
import { connect } from "./connect/Connect.ts"
import { demo } from "./demo/Demo.ts"
import { importing } from "./import/Import.ts"
import { init } from "./setup/Init.ts"
import { ledger } from "./ledger/Ledger.ts"
import { openapi } from "./OpenApi.ts"
import { providers } from "./setup/Providers.ts"
import { router } from "./router/Router.ts"
import { product } from "./Product.ts"
import { serve } from "./serve/Serve.ts"
import { store } from "./store/Store.ts"

export const root = product.pipe(
  Command.withSubcommands([
    { group: "Set up and run", commands: [demo, init, check, importing, serve, connect, providers, catalogue, alerts] },
    {
      group: "Administer a running gateway",
      commands: [keys, teams, budgets, deployments, traffic, spend, requests, ready, nodes, config, sessions, audit]
    },
    { group: "Look into the store", commands: [ledger, store] },
    { group: "Route by difficulty", commands: [router] },
    { group: "For programs", commands: [openapi] }
  ]),
  Command.withExamples([
    { command: "model-gateway demo", description: "See it work: nothing to configure, no key needed" },
    { command: "model-gateway init", description: "Write a configuration file to start from" },
    { command: "model-gateway keys create --name my-app --budget 10/day", description: "Make a key for a caller" }
  ])
)
