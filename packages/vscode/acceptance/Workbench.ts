/** VS Code's window, as somebody uses it with mouse and keyboard. */
import { join } from "node:path"
import type { BrowserPage } from "../../../scripts/browser/Browser.ts"

const LONGEST_MS = 60_000
const LOOK_MS = 100

export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export class Workbench {
  readonly page: BrowserPage
  readonly #shots: string

  /** `shots`: the folder for screenshots. */
  constructor(page: BrowserPage, shots: string) {
    this.page = page
    this.#shots = shots
  }

  /** Waits until something is so. */
  async until(what: string, look: () => Promise<boolean>, longest = LONGEST_MS): Promise<void> {
    for (const deadline = Date.now() + longest; Date.now() < deadline;) {
      if (await look()) return
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    await this.shot("failed")
    throw new Error(`It never came: ${what}. What the window showed is in ${join(this.#shots, "failed.png")}.`)
  }

  /** Everything that a selector finds, as text. */
  async text(selector: string): Promise<string> {
    return this.page.evaluate<string>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText).join("\\n").replaceAll("\\u00a0", " ")`
    )
  }

  async shows(selector: string, text: string): Promise<void> {
    await this.until(`"${text}" in ${selector}`, async () => (await this.text(selector)).includes(text))
  }

  /** A command of the palette. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press("F1")
    await this.page.locator(INPUT).first().fill(`>${title}`)
    await this.shows(".quick-input-list .monaco-list-row.focused", title)
    await this.page.keyboard.press("Enter")
  }

  /** An answer to what is asked at the top of the window. `title`: what must stand there first. */
  async reply(title: string, text: string): Promise<void> {
    await this.shows(".quick-input-widget", title)
    if (text !== "") await this.page.locator(INPUT).first().fill(text)
    await this.page.keyboard.press("Enter")
  }

  /** The model picker, with all models. */
  async openPicker(): Promise<void> {
    await this.page.locator(PICKER).first().click()
    await this.shows(".action-widget", "Other Models")
    if (!(await this.text(".action-widget")).includes("demo/mini")) {
      await this.page
        .locator(".action-widget")
        .getByRole("option", { name: /Other Models/ })
        .first()
        .click()
    }
    await this.shows(".action-widget", "demo/mini")
  }

  async choose(model: string): Promise<void> {
    await this.openPicker()
    await this.page.locator(".action-widget input").first().fill(model)
    await this.page
      .locator(".action-widget")
      .getByRole("option", { name: new RegExp(model) })
      .first()
      .click()
    await this.shows(PICKER, model)
  }

  async say(text: string): Promise<void> {
    await this.page.locator(".interactive-input-editor .monaco-editor").first().click()
    await this.page.keyboard.type(text)
    await this.page.keyboard.press("Enter")
  }

  chat(): Promise<string> {
    return this.text(".interactive-session .interactive-list")
  }

  status(): Promise<string> {
    return this.text(".statusbar-item[id*='modelGateway']")
  }

  async shot(name: string, clip?: Area): Promise<void> {
    await this.page.screenshot({ path: join(this.#shots, `${name}.png`), ...(clip === undefined ? {} : { clip }) })
  }
}

const INPUT = ".quick-input-widget input[type='text'], .quick-input-widget input[type='password']"
const PICKER = ".model-picker-section.model-picker-name"
