// Reads a task's file page by page.
import { get, path } from '../api/client'
import type { FilePage } from '../api/types'

export const FILE_PAGE_BYTES = 64_000

export interface Piece {
    bytes: Uint8Array
    offset: number
    end: number
    size: number
    isText: boolean
}

export async function readPiece(taskId: string, file: string, offset: number, signal?: AbortSignal): Promise<Piece> {
    const query = { path: file, offset, maxBytes: FILE_PAGE_BYTES }
    const page = await get<FilePage>(path`/tasks/${taskId}/file`, query, signal)
    const isText = page.encoding === 'utf8'
    const bytes = isText
        ? new TextEncoder().encode(page.content)
        : Uint8Array.from(atob(page.content), (character) => character.charCodeAt(0))
    return { bytes, offset: page.offset, end: page.offset + page.bytesReturned, size: page.size, isText }
}

// A page's bytes as text; a character that is cut by its ends becomes a replacement character.
export function textOf(piece: Piece): string {
    return new TextDecoder().decode(piece.bytes)
}

// Whether the bytes are those of a text that was merely cut inside a character.
export function isProbablyText(piece: Piece): boolean {
    if (piece.isText) return true
    if (piece.bytes.includes(0)) return false
    const bad = textOf(piece).split('�').length - 1
    return bad <= 6
}
