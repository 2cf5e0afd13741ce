import { describe, expect, it } from 'vitest'
import { type Block, type Inline, parseInline, parseMarkdown, safeHref } from '../src/lib/markdown'

const kinds = (text: string) => parseMarkdown(text).map((block) => block.kind)
const words = (parts: Inline[]): string => parts.map((part) => ('text' in part ? part.text : words(part.children))).join('')

describe('Markdown', () => {
    it('knows headings, lists, quotes, code, rules, tables and paragraphs', () => {
        const text = '# A\n\ntext\nmore\n\n- one\n- two\n\n1. first\n\n> said\n\n```ts\nlet a\n```\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'
        expect(kinds(text)).toEqual(['heading', 'paragraph', 'list', 'list', 'quote', 'code', 'rule', 'table'])
    })

    it('nests lists and keeps what is in a fence as it is', () => {
        const [list] = parseMarkdown('- one\n  - inner\n\n  text\n- two')
        expect(list).toMatchObject({ kind: 'list', items: [[{ kind: 'paragraph' }, { kind: 'list' }, { kind: 'paragraph' }], [{}]] })
        expect(parseMarkdown('~~~\n# no heading\n```\n~~~')).toEqual([{ kind: 'code', language: '', text: '# no heading\n```' }])
        expect(parseMarkdown('```\nnever ended')).toEqual([{ kind: 'code', language: '', text: 'never ended' }])
    })

    it('knows emphasis, code and links', () => {
        expect(parseInline('a **b** *c* `d*e*` ~~f~~')).toEqual([
            { kind: 'text', text: 'a ' },
            { kind: 'strong', children: [{ kind: 'text', text: 'b' }] },
            { kind: 'text', text: ' ' },
            { kind: 'em', children: [{ kind: 'text', text: 'c' }] },
            { kind: 'text', text: ' ' },
            { kind: 'code', text: 'd*e*' },
            { kind: 'text', text: ' ' },
            { kind: 'del', children: [{ kind: 'text', text: 'f' }] },
        ])
        expect(parseInline('see https://example.com/a.')).toMatchObject([{}, { kind: 'link', href: 'https://example.com/a' }, { text: '.' }])
        expect(words(parseInline('snake_case_name and 2*3*4'))).toBe('snake_case_name and 2*3*4')
    })

    it('follows no address but those of the web and of mail', () => {
        for (const bad of ['javascript:alert(1)', 'JaVaScRiPt:x', 'data:text/html,x', 'vbscript:x', '/own', '//host', 'file:///etc'])
            expect(safeHref(bad)).toBeNull()
        expect(parseInline('[click](javascript:alert)')).toEqual([{ kind: 'text', text: '[click](javascript:alert)' }])
        expect(safeHref('mailto:a@example.com')).toBe('mailto:a@example.com')
    })

    it('leaves HTML as text', () => {
        const [block] = parseMarkdown('<img src=x onerror=alert(1)>') as [Block & { kind: 'paragraph' }]
        expect(block.children).toEqual([{ kind: 'text', text: '<img src=x onerror=alert(1)>' }])
    })

    it('comes to an end quickly whatever it is given', () => {
        const started = performance.now()
        for (const part of ['*', '_', '`', '[', '**a', '> ', '- ', '|', '~~', '](', '\\', '1. ', '    ', '#'])
            for (const text of [part.repeat(8000), `${part}\n`.repeat(2000), `${part} a `.repeat(2000)]) parseMarkdown(text)
        expect(performance.now() - started).toBeLessThan(20_000)
    })
})
