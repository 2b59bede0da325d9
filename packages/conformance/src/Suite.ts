/** The servers that scenarios run against, and one language's way through all of them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { writeFixtures } from "./Fixtures.ts"
import { startForeign } from "./Foreign.ts"
import { startGateway } from "./Gateway.ts"
import { judge } from "./Judge.ts"
import { type Language, runLanguage } from "./Languages.ts"
import { readScenarios, type Ready, render, type World } from "./Render.ts"

export interface Suite extends World {
  /** Writes the scenarios for one runner. → the file, and what the judge needs. */
  readonly prepare: (language: string) => Promise<{ readonly file: string; readonly ready: ReadonlyArray<Ready> }>
  readonly stop: () => Promise<void>
}

export const startSuite = async (): Promise<Suite> => {
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-conformance-"))
  const foreign = await startForeign()
  const gateway = await startGateway(folder, foreign.url).catch(async (error: unknown) => {
    await foreign.stop()
    rmSync(folder, { recursive: true, force: true })
    throw error
  })
  const world: World = { foreign, gateway, fixtures: folder }
  writeFixtures(folder)
  return {
    ...world,
    prepare: async (language) => {
      const ready = await Promise.all(
        readScenarios().map((scenario, index) => render(scenario, `${language}-${index}`, world))
      )
      const file = join(folder, `${language}.json`)
      writeFileSync(file, JSON.stringify(ready.map(({ rendered }) => rendered)))
      return { file, ready }
    },
    stop: async () => {
      await gateway.stop()
      await foreign.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Scenario → what went wrong in it; nothing: it passed. */
export type Results = ReadonlyMap<string, ReadonlyArray<string>>

export const runSuite = async (suite: Suite, language: Language): Promise<Results> => {
  const { file, ready } = await suite.prepare(language.name.toLowerCase().replaceAll(/\W+/g, "-"))
  const results = new Map<string, Promise<ReadonlyArray<string>>>()
  const failure = await runLanguage(language, file, (observed) => {
    const one = ready.find(({ scenario }) => scenario.name === observed.scenario)
    if (one !== undefined) results.set(observed.scenario, judge(one, observed, suite))
  })
  // What a runner that broke down said is told with the first scenario that it missed.
  const unseen = ready.find(({ scenario }) => !results.has(scenario.name))?.scenario.name
  const missed = (name: string) => ["the runner said nothing of it", ...(name === unseen ? [failure] : [])]
  return new Map(
    await Promise.all(
      ready.map(async ({ scenario: { name } }) => [name, (await results.get(name)) ?? missed(name)] as const)
    )
  )
}
