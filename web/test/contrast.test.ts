// Text can be read on every ground, in the light and in the dark (WCAG 2.2, 1.4.3 and 1.4.11).
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const style = readFileSync(new URL('../src/styles/tokens.css', import.meta.url), 'utf8')
const [light = '', dark = ''] = style.split('@media')
const coloursOf = (part: string) =>
    Object.fromEntries([...part.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value])) as Record<string, string>

function luminance(colour: string): number {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
        const part = parseInt(colour.slice(at, at + 2), 16) / 255
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: string, other: string): number {
    const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
    return (high + 0.05) / (low + 0.05)
}

const grounds = ['ground', 'raised', 'sunk', 'mark']
const texts = ['text', 'text-quiet', 'accent', 'good', 'bad', 'warn']

describe.each([
    ['light', coloursOf(light)],
    ['dark', { ...coloursOf(light), ...coloursOf(dark) }],
])('in the %s', (_, colours) => {
    it.each(texts.flatMap((text) => grounds.map((ground) => [text, ground])))('%s can be read on %s', (text, ground) => {
        expect(contrast(colours[text] ?? '', colours[ground] ?? '')).toBeGreaterThanOrEqual(4.5)
    })

    it('buttons, faults and the focus can be seen', () => {
        expect(contrast(colours['on-accent'] ?? '', colours['accent'] ?? '')).toBeGreaterThanOrEqual(4.5)
        expect(contrast(colours['bad'] ?? '', colours['bad-ground'] ?? '')).toBeGreaterThanOrEqual(4.5)
        for (const ground of grounds) {
            expect(contrast(colours['focus'] ?? '', colours[ground] ?? '')).toBeGreaterThanOrEqual(3)
            expect(contrast(colours['line-strong'] ?? '', colours[ground] ?? '')).toBeGreaterThanOrEqual(3)
        }
    })
})
