/** What people write, and how: material by any name, scripts without spaces, and requests that are short and hard. */
import { assert, describe, it } from "@effect/vitest"
import { classify } from "../../src/classifier/PromptScore.ts"
import { reworded, unseen } from "../../../../bench/router/Chats.ts"
import { bucketIndex, cuts } from "../../../../bench/router/Stability.ts"
import { withoutGiven } from "../../src/classifier/features/Given.ts"

const page =
  "The lighthouse at Cape Wrath was built in 1828 by Robert Stevenson and was manned until 1998, when it was converted to automatic operation. It stands on the most north-westerly point of mainland Britain, and its light can be seen from 22 miles away. The keepers were supplied by boat in summer and by a rough track in winter. The granite was quarried at Clash Carnoch, and a slipway was built at Kearvaig so that boats could land stores. In 1977 the fog signal was discontinued."
const chinese =
  "怀特角灯塔由罗伯特·史蒂文森于1828年建成,一直有人值守,直到1998年改为自动运行。它位于英国本土的最西北端,灯光在二十二英里以外仍然可见。夏天守塔人的补给由船运送,冬天则走一条崎岖的小路。花岗岩采自附近的采石场,人们还在海湾修建了滑道,好让船只卸下物资。1977年雾号停止使用。"
const table = `| city | country | population |
|---|---|---|
${["Lagos", "Cairo", "Kinshasa", "Khartoum", "Abidjan", "Accra", "Luanda", "Tunis", "Rabat", "Dakar"].map((city, i) => `| ${city} | number ${i} | ${1000 + i} 000 |`).join("\n")}`
const question = "When did the lighthouse become automatic?"

const partsOf = (text: string): ReadonlyArray<string> =>
  withoutGiven(text, { from: 0, to: text.length }).map(({ from, to }) => text.slice(from, to).trim())

describe("a look-up over material", () => {
  it("is a look-up, whatever the material is called and on whichever side it stands", () => {
    for (const prompt of [
      `Background: ${page}\n\n${question}`,
      `Passage:\n${page}\nQuestion: ${question}`,
      `Cntext: ${page}\n\n${question}`,
      `Text: ${page}\n${question}`,
      `${page}\n\n${question}`,
      `${question}\n\n${page}`,
      `${question}\nReading material: ${page}`,
      `"${page}"\n\n${question}`,
      `> ${page}\n\n${question}`,
      `Here is a page from a guide: ${page} ${question}`,
      `${table}\n\nWhich city is number 3?`,
      `Which city is number 3?\n\n${table}`,
      `背景:${chinese}\n\n问题:灯塔什么时候改为自动运行?`,
      `${chinese}\n灯塔什么时候改为自动运行?`
    ]) {
      assert.isBelow(classify(prompt).score, 0.35, prompt.slice(0, 40))
    }
  })

  it("is none where more is asked than reading answers, or what is given is the task", () => {
    for (const prompt of [
      `${page}\n\nWhy would you design the supply of the keepers differently today?`,
      `${page}\n\nWhat is the total number of years that the signal sounded?`,
      `${table}\n\nWhat is the average population?`,
      `We run ${page}\n\nWho should answer for it?`,
      `1. ${page}\n2. Ann is not next to Bob.\n3. Cy is first.\nWho is last?`,
      `If every ship carries exactly two lamps, each lamp must be lit unless ${page}\nWhich lamp is out?`
    ]) {
      assert.deepStrictEqual(partsOf(prompt), [prompt], prompt.slice(-60))
    }
  })

  it("courtesies are none", () => {
    const task = "Design a distributed job queue with at-least-once delivery that survives the loss of a data centre."
    const polite =
      "Hello there and good morning to you! I hope you are doing well today. Thank you so much in advance for your help. I really appreciate it. Thanks a lot! "
    assert.approximately(classify(polite + task).score, classify(task).score, 0.05)
  })

  it("is read in time, however long the line before the question is", () => {
    const long = `Here is a page: ${"a ".repeat(500_000)}\n${question}`
    const start = performance.now()
    assert.isAtMost(classify(long).score, 1)
    assert.isBelow(performance.now() - start, 500)
  })
})

describe("Chinese, Japanese and Korean", () => {
  it("school mathematics is no look-up, a proof is one", () => {
    for (const prompt of [
      "求解微分方程 y''+4y=0 的通解。",
      "小明有15个苹果,给了小红3个,又买了8个,现在小明有多少个苹果?",
      "一辆汽车以每小时60千米的速度行驶了3小时,又以每小时80千米的速度行驶了2小时,平均速度是多少?",
      "二次方程式 x^2-5x+6=0 を解きなさい。",
      "x^2-5x+6=0의 해를 구하시오."
    ]) {
      assert.isAtLeast(classify(prompt).score, 0.35, prompt)
    }
    for (const prompt of ["求证:根号7是无理数。", "√7が無理数であることを示せ。", "√7이 무리수임을 증명하시오."]) {
      assert.isAtLeast(classify(prompt).score, 0.85, prompt)
    }
    for (const prompt of ["法国的首都是哪里?", "富士山の高さは?", "캐나다의 수도는 어디인가요?"]) {
      assert.isBelow(classify(prompt).score, 0.35, prompt)
    }
  })
})

describe("hard and short", () => {
  it("puzzles, designs and limits on the response are not simple", () => {
    for (const prompt of [
      "Design a URL shortener.",
      "Design a rate limiter.",
      "Devise a board game about tides for two players.",
      "Cryptic clue: Sort of rotten, but it's a weight (5)",
      "I speak without a mouth and hear without ears. What am I?",
      "Explain gravity using only words of one syllable.",
      "设计一个短链接服务",
      "短縮URLサービスを設計して"
    ]) {
      assert.isAtLeast(classify(prompt).score, 0.35, prompt)
    }
  })

  it("saying so again and again buys nothing", () => {
    const once = "Solve this riddle: what am I?"
    assert.isAtMost(classify(Array(300).fill("riddle").join(" ")).score, classify(once).score + 0.3)
    assert.isBelow(classify(`${"riddle ".repeat(400)}\nWhat time is it?`).score, 0.65)
  })
})

describe("the same in other words", () => {
  const shareOf = (requests: ReadonlyArray<ReadonlyArray<string>>): number => {
    const same = requests.flatMap(([first, ...others]) => {
      const bucketOf = (prompt: string) => bucketIndex(classify(prompt).score, cuts.four)
      return others.map((prompt) => bucketOf(prompt) === bucketOf(first!))
    })
    return same.filter(Boolean).length / same.length
  }

  it("mostly stays in one of four buckets, also where nothing was chosen by it", () => {
    assert.isAtLeast(shareOf(reworded), 0.8)
    assert.isAtLeast(shareOf(unseen), 0.7)
  })

  it("a year is no quantity", () => {
    const score = classify("When did the ferry between Dover and Calais begin?").score
    assert.approximately(classify("Did the ferry between Dover and Calais begin in 1953?").score, score, 0.15)
  })
})
