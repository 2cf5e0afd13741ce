// Runs the cases, each in a browser of its own: node main.mjs [part of a name ...]. One result line for each.
import { readdirSync } from 'node:fs'
import { close, open } from './harness.mjs'

const wanted = process.argv.slice(2)
const folder = new URL('./cases/', import.meta.url)
let failed = 0

const run = async (name, work) => {
        const started = Date.now()
        try {
                await work()
                console.log(`ok - ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
        } catch (error) {
                failed++
                console.log(`# ${String(error?.stack ?? error).split('\n').join('\n# ')}`)
                console.log(`not ok - ${name}`)
        }
}

await open()
for (const file of readdirSync(folder).sort()) {
        const cases = await import(new URL(file, folder))
        for (const [name, work] of Object.entries(cases))
                if (!wanted.length || wanted.some((part) => name.includes(part) || file.includes(part))) await run(name, work)
}
await close()
process.exit(failed ? 1 : 0)
