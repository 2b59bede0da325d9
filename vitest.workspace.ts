import { defineConfig } from "vitest/config"

const resolve = { conditions: ["model-gateway-source"] }
const project = (name: string) => ({
  ssr: { resolve },
  resolve,
  test: { name, root: `./packages/${name}`, include: ["test/**/*.test.ts"], testTimeout: 30_000 }
})

export default defineConfig({
  test: { projects: [project("protocol"), project("gateway")] }
})
