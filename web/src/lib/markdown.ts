// The little of Markdown that agents write, as a tree: whoever shows it makes elements of it, never HTML from a string.

export type Inline =
    | { kind: 'text' | 'code'; text: string }
    | { kind: 'strong' | 'em' | 'del'; children: Inline[] }
    | { kind: 'link'; href: string; children: Inline[] }

export type Block =
    | { kind: 'heading'; level: number; children: Inline[] }
    | { kind: 'paragraph'; children: Inline[] }
    | { kind: 'code'; language: string; text: string }
    | { kind: 'quote'; children: Block[] }
    | { kind: 'list'; start: number | null; items: Block[][] }
    | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
    | { kind: 'rule' }

const DEPTH = 8

// Addresses that may be followed; anything else stays text.
export function safeHref(text: string): string | null {
    try {
        const url = new URL(text)
        return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null
    } catch {
        return null
    }
}

const inlinePattern =
    /(`+)([^`]|[^`].*?[^`])\1(?!`)|\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<![\w*])\*(?=[^\s*])(.+?)(?<=[^\s*])\*(?![\w*])|(?<!\w)_(?=[^\s_])(.+?)(?<=[^\s_])_(?!\w)|~~(?=\S)(.+?)(?<=\S)~~|\[([^\]\n]+)\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)?)\)|(https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}])|\\([\\`*_{}[\]()#+\-.!~|>])/gs

export function parseInline(text: string, depth = 0): Inline[] {
    const found: Inline[] = []
    let at = 0
    const say = (words: string) => {
        const last = found.at(-1)
        if (!words) return
        if (last?.kind === 'text') last.text += words
        else found.push({ kind: 'text', text: words })
    }
    if (depth > DEPTH) return [{ kind: 'text', text }]
    for (const match of text.matchAll(inlinePattern)) {
        const [whole, , code, strong, star, low, del, label, target, bare, escaped] = match
        say(text.slice(at, match.index))
        at = match.index + whole.length
        const em = star ?? low
        if (code !== undefined) found.push({ kind: 'code', text: code.trim() || code })
        else if (strong !== undefined) found.push({ kind: 'strong', children: parseInline(strong, depth + 1) })
        else if (em !== undefined) found.push({ kind: 'em', children: parseInline(em, depth + 1) })
        else if (del !== undefined) found.push({ kind: 'del', children: parseInline(del, depth + 1) })
        else if (escaped !== undefined) say(escaped)
        else {
            const href = safeHref(target ?? bare ?? '')
            const words = label ?? bare ?? ''
            if (href) found.push({ kind: 'link', href, children: label ? parseInline(words, depth + 1) : [{ kind: 'text', text: words }] })
            else say(whole)
        }
    }
    say(text.slice(at))
    return found
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/
const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/
const rule = /^ {0,3}([-*_])\s*(?:\1\s*){2,}$/
const item = /^( {0,3})([-*+]|\d{1,9}[.)])(\s+)(\S.*)?$/
const quote = /^ {0,3}> ?/
const tableRule = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/

const cells = (line: string): Inline[][] =>
    line
        .trim()
        .replace(/^\||\|$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => parseInline(cell.trim()))

class Lines {
    at = 0
    readonly lines: string[]

    constructor(lines: string[]) {
        this.lines = lines
    }

    get line(): string | undefined {
        return this.lines[this.at]
    }

    // Takes the lines as long as they fit.
    while(fits: (line: string) => boolean): string[] {
        const from = this.at
        while (this.line !== undefined && fits(this.line)) this.at++
        return this.lines.slice(from, this.at)
    }
}

function takeCode(lines: Lines, opening: RegExpExecArray): Block {
    const mark = opening[1] ?? '```'
    lines.at++
    const isEnd = (line: string) => line.trim().startsWith(mark) && !line.trim().replaceAll(mark[0] ?? '`', '')
    const text = lines.while((line) => !isEnd(line)).join('\n')
    lines.at++
    return { kind: 'code', language: opening[2] ?? '', text }
}

function takeList(lines: Lines, first: RegExpExecArray, depth: number): Block {
    const isNumbered = /\d/.test(first[2] ?? '')
    const items: Block[][] = []
    for (;;) {
        const match = item.exec(lines.line ?? '')
        if (!match || /\d/.test(match[2] ?? '') !== isNumbered || rule.test(lines.line ?? '')) break
        const indent = (match[1] ?? '').length + (match[2] ?? '').length + 1
        lines.at++
        // What follows and is indented belongs to the item, also behind an empty line.
        const rest = lines.while((line) => !line.trim() || line.startsWith(' '.repeat(Math.min(indent, 2))))
        const inner = [match[4] ?? '', ...rest.map((line) => line.slice(Math.min(indent, line.search(/\S|$/))))]
        items.push(parseBlocks(inner, depth + 1))
    }
    return { kind: 'list', start: isNumbered ? parseInt(first[2] ?? '1', 10) : null, items }
}

function takeTable(lines: Lines): Block {
    const head = cells(lines.line ?? '')
    lines.at += 2
    return { kind: 'table', head, rows: lines.while((line) => line.includes('|')).map(cells) }
}

const beginsOther = (line: string) =>
    !line.trim() || fence.test(line) || heading.test(line) || rule.test(line) || quote.test(line) || item.test(line)

function takeBlock(lines: Lines, line: string, depth: number): Block {
    const opening = fence.exec(line)
    if (opening) return takeCode(lines, opening)
    const title = heading.exec(line)
    if (title) {
        lines.at++
        return { kind: 'heading', level: (title[1] ?? '#').length, children: parseInline(title[2] ?? '') }
    }
    if (rule.test(line)) {
        lines.at++
        return { kind: 'rule' }
    }
    if (quote.test(line)) {
        const inner = lines.while((next) => quote.test(next)).map((next) => next.replace(quote, ''))
        return { kind: 'quote', children: parseBlocks(inner, depth + 1) }
    }
    const first = item.exec(line)
    if (first) return takeList(lines, first, depth)
    if (line.includes('|') && tableRule.test(lines.lines[lines.at + 1] ?? '')) return takeTable(lines)
    lines.at++
    const rest = lines.while((next) => !beginsOther(next))
    return { kind: 'paragraph', children: parseInline([line, ...rest].join('\n')) }
}

function parseBlocks(source: string[], depth: number): Block[] {
    if (depth > DEPTH) return [{ kind: 'paragraph', children: [{ kind: 'text', text: source.join('\n') }] }]
    const lines = new Lines(source)
    const blocks: Block[] = []
    while (lines.line !== undefined) {
        if (lines.line.trim()) blocks.push(takeBlock(lines, lines.line, depth))
        else lines.at++
    }
    return blocks
}

export function parseMarkdown(text: string): Block[] {
    return parseBlocks(text.replace(/\r\n?/g, '\n').replaceAll('\t', '    ').split('\n'), 0)
}
