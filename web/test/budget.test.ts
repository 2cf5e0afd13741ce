// What a browser has to load, as packaging/web has built it.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const dist = new URL('../../build/web/dist/', import.meta.url)
const assets = readdirSync(new URL('assets/', dist))
const bytesOf = (ending: string) =>
    assets
        .filter((name) => name.endsWith(ending))
        .reduce((sum, name) => sum + readFileSync(new URL(`assets/${name}`, dist)).length, 0)

it('the script stays below 60 kB and the style below 10 kB when gzipped', () => {
    expect(bytesOf('.js.gz')).toBeGreaterThan(0)
    expect(bytesOf('.js.gz')).toBeLessThan(60_000)
    expect(bytesOf('.css.gz')).toBeLessThan(10_000)
})

it('the document holds no script, no style and no other address', () => {
    const document = readFileSync(new URL('index.html', dist), 'utf8')
    expect(document).not.toMatch(/<script(?![^>]*\ssrc="\/assets\/)[^>]*>/)
    expect(document).not.toMatch(/<style|style=|\son\w+=|:\/\//)
})
