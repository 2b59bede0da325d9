/** What this server shows to people. */
import { Layer } from "effect"
import { docsPages } from "./Docs.ts"
import { documentPages } from "./Documents.ts"
import { homeLayer, homePath, iconPage } from "./Home.ts"
import { pageLayer } from "./Page.ts"
import { uiLayer } from "./Ui.ts"

const pages = [iconPage, ...docsPages, ...documentPages] as const

export const pagesLayer = Layer.mergeAll(homeLayer, uiLayer, ...pages.map(pageLayer))

/** For answers that say which methods a path has. */
export const pagePaths = [homePath, ...pages.map(({ path }) => path)]
