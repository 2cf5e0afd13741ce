// Markdown as elements. What an agent wrote never becomes HTML.
import type { ComponentChildren } from 'preact'
import { memo } from '../lib/memo'
import { type Block, type Inline, parseMarkdown } from '../lib/markdown'

const inline = (parts: Inline[]): ComponentChildren =>
    parts.map((part) => {
        switch (part.kind) {
            case 'text':
                return part.text
            case 'code':
                return <code>{part.text}</code>
            case 'strong':
                return <strong>{inline(part.children)}</strong>
            case 'em':
                return <em>{inline(part.children)}</em>
            case 'del':
                return <del>{inline(part.children)}</del>
            case 'link':
                return (
                    <a href={part.href} target="_blank" rel="noopener noreferrer">
                        {inline(part.children)}
                    </a>
                )
        }
    })

// The page has headings of its own above.
const headings = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const

function block(part: Block): ComponentChildren {
    switch (part.kind) {
        case 'heading': {
            const Heading = headings[part.level - 1] ?? 'h6'
            return <Heading>{inline(part.children)}</Heading>
        }
        case 'paragraph':
            return <p>{inline(part.children)}</p>
        case 'code':
            return (
                <pre tabIndex={0}>
                    <code>{part.text}</code>
                </pre>
            )
        case 'quote':
            return <blockquote>{part.children.map(block)}</blockquote>
        case 'rule':
            return <hr />
        case 'list': {
            const items = part.items.map((item) => {
                const [only] = item
                return <li>{item.length === 1 && only?.kind === 'paragraph' ? inline(only.children) : item.map(block)}</li>
            })
            return part.start === null ? <ul>{items}</ul> : <ol start={part.start}>{items}</ol>
        }
        case 'table':
            return (
                <div class="scroller" tabIndex={0}>
                    <table>
                        <thead>
                            <tr>
                                {part.head.map((cell) => (
                                    <th scope="col">{inline(cell)}</th>
                                ))}
                            </tr>
                        </thead>
                        <tbody>
                            {part.rows.map((row) => (
                                <tr>
                                    {row.map((cell) => (
                                        <td>{inline(cell)}</td>
                                    ))}
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )
    }
}

export const Markdown = memo(function Markdown({ text }: { text: string }) {
    return <div class="markdown">{parseMarkdown(text).map(block)}</div>
})
