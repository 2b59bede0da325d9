/** What is used of Playwright, which is no dependency: it is installed where tests need it. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import type { BrowserTools } from "./Tools.ts"

export interface Locator {
  readonly click: () => Promise<void>
  readonly fill: (text: string) => Promise<void>
  readonly textContent: () => Promise<string | null>
  readonly innerText: () => Promise<string>
  readonly getAttribute: (name: string) => Promise<string | null>
  readonly selectOption: (value: string) => Promise<unknown>
  readonly waitFor: (options?: { readonly state?: "visible" | "hidden"; readonly timeout?: number }) => Promise<void>
  readonly count: () => Promise<number>
  readonly hover: () => Promise<void>
  readonly press: (key: string) => Promise<void>
  readonly focus: () => Promise<void>
  readonly inputValue: () => Promise<string>
  readonly first: () => Locator
  readonly last: () => Locator
  readonly locator: (selector: string) => Locator
  readonly getByRole: (role: string, options?: { readonly name?: string | RegExp; readonly exact?: boolean }) => Locator
}

/** What a page is answered in the server's place. */
interface Fulfilment {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly contentType?: string
  readonly json?: unknown
  readonly body?: string
}

export interface BrowserPage {
  readonly goto: (url: string, options?: { readonly waitUntil: "load" | "networkidle" }) => Promise<unknown>
  readonly url: () => string
  readonly locator: (selector: string) => Locator
  readonly getByRole: (role: string, options?: { readonly name?: string | RegExp; readonly exact?: boolean }) => Locator
  readonly getByLabel: (text: string | RegExp, options?: { readonly exact?: boolean }) => Locator
  readonly getByText: (text: string | RegExp, options?: { readonly exact?: boolean }) => Locator
  /** A program in the page, as text: types of the page are not at hand here. */
  readonly evaluate: <A>(program: string) => Promise<A>
  readonly waitForURL: (url: RegExp) => Promise<void>
  readonly screenshot: (options: {
    readonly path: string
    readonly clip?: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  }) => Promise<unknown>
  readonly route: (
    url: RegExp,
    handle: (route: {
      readonly fulfill: (answer: Fulfilment) => Promise<void>
      readonly continue: () => Promise<void>
    }) => Promise<void>
  ) => Promise<void>
  readonly unrouteAll: () => Promise<void>
  readonly emulateMedia: (media: { readonly colorScheme: "light" | "dark" }) => Promise<void>
  readonly waitForEvent: (event: "download") => Promise<{
    readonly suggestedFilename: () => string
    readonly path: () => Promise<string>
  }>
  readonly keyboard: {
    readonly press: (key: string) => Promise<void>
    readonly type: (text: string) => Promise<void>
  }
  /** The page's own time, which stands still once it is installed. */
  readonly clock: {
    readonly install: (options?: { readonly time: number }) => Promise<void>
    readonly runFor: (ms: number) => Promise<void>
  }
  readonly on: {
    (event: "request", listener: (request: { readonly url: () => string; readonly method: () => string }) => void): void
    (event: "console", listener: (message: { readonly type: () => string; readonly text: () => string }) => void): void
    (event: "pageerror", listener: (error: Error) => void): void
  }
}

export interface BrowserContext {
  readonly newPage: () => Promise<BrowserPage>
  readonly close: () => Promise<void>
  readonly clearCookies: () => Promise<void>
  readonly addCookies: (
    cookies: ReadonlyArray<{ readonly name: string; readonly value: string; readonly url: string }>
  ) => Promise<void>
  readonly setOffline: (offline: boolean) => Promise<void>
  readonly newCDPSession: (page: BrowserPage) => Promise<{
    readonly send: (method: string, parameters?: object) => Promise<unknown>
  }>
}

export interface Browser {
  readonly newContext: (options?: {
    readonly colorScheme?: "light" | "dark"
    readonly viewport?: { readonly width: number; readonly height: number }
    /** Only for tools that add scripts of their own, such as axe. */
    readonly bypassCSP?: boolean
    readonly locale?: string
    readonly timezoneId?: string
  }) => Promise<BrowserContext>
  readonly close: () => Promise<void>
}

interface Playwright {
  readonly chromium: {
    readonly launch: (options: { executablePath: string; args: ReadonlyArray<string> }) => Promise<Browser>
  }
}

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

/** @sparticuz/chromium unpacks the libraries that it needs where it believes to be in this environment. */
const WITH_LIBRARIES = ["AWS_EXECUTION_ENV", "AWS_Lambda_nodejs22.x"] as const

export const launch = async ({ folder, program }: BrowserTools): Promise<Browser> => {
  const [name, value] = WITH_LIBRARIES
  process.env[name] ??= value
  const { chromium }: Playwright = createRequire(pathToFileURL(join(folder, "package.json")))("playwright-core")
  const executablePath = program ?? (await unpacked(folder))
  for (;;) {
    try {
      return await chromium.launch({ executablePath, args: ARGUMENTS })
    } catch (error) {
      // Another process is still unpacking it.
      if (!String(error).includes("ETXTBSY")) throw error
      await setTimeout(100)
    }
  }
}

const unpacked = async (folder: string): Promise<string> => {
  const path = join(folder, "node_modules", "@sparticuz", "chromium", "build", "index.js")
  const { default: chromium }: { default: { executablePath: () => Promise<string> } } = await import(
    pathToFileURL(path).href
  )
  return chromium.executablePath()
}

/** axe-core's script, for `evaluate`. */
export const axeIn = ({ folder }: BrowserTools): string =>
  readFileSync(join(folder, "node_modules", "axe-core", "axe.min.js"), "utf8")
