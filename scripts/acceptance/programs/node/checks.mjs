/** What every program in JavaScript uses: the gateway, keys, and checks, which print a line each. */
import assert from "node:assert/strict"

export const url = process.env.GATEWAY_URL
export const key = process.env.GATEWAY_KEY
const masterKey = process.env.GATEWAY_MASTER_KEY

/** A virtual key, made through the admin API. */
export const newKey = async (fields) => {
  const answer = await fetch(`${url}/admin/keys`, {
    method: "POST",
    headers: { Authorization: `Bearer ${masterKey}`, "Content-Type": "application/json" },
    body: JSON.stringify(fields)
  })
  assert.equal(answer.status, 201, await answer.clone().text())
  return (await answer.json()).key
}

const checks = []

export const check = (name, test) => void checks.push({ name, test })

export const runChecks = async () => {
  for (const { name, test } of checks) {
    try {
      await test()
      console.log(`ok ${name}`)
    } catch (error) {
      console.log(`FAIL ${name}\n${indented(describe(error))}`)
    }
  }
}

const describe = (error) => (error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error))

const indented = (text) => text.replace(/^/gm, "  ")

/** A fetch that counts. */
export const counting = () => {
  const counted = (...args) => {
    counted.calls++
    return fetch(...args)
  }
  counted.calls = 0
  return counted
}

/** The error of this class that `call` throws. */
export const failsWith = async (type, call) => {
  const error = await call().then(
    () => assert.fail(`no ${type.name} was thrown`),
    (error) => error
  )
  assert.equal(error.constructor, type, `${error.constructor.name}: ${error.message}`)
  return error
}
