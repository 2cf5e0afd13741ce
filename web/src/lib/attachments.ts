// Files that go with instructions.

import { ApiError, call } from '../api/client'

export interface Attachment {
    uploadId: string
}

const FILES_MAXIMUM = 25

// Why these cannot be sent together, null when they can.
export function attachmentFault(files: readonly { name: string }[]): string | null {
    if (files.length > FILES_MAXIMUM) return `At most ${FILES_MAXIMUM} files can go with one message.`
    const names = new Set<string>()
    for (const { name } of files) {
        if (names.has(name)) return `There are two files of the name ${name}.`
        names.add(name)
    }
    return null
}

// What was uploaded and no submission has taken yet: sending once more after a lost answer names the same uploads.
const uploaded = new Map<string, Attachment>()

const keyOf = (file: File) => JSON.stringify([file.name, file.size, file.lastModified])

async function upload(file: File): Promise<Attachment> {
    const known = uploaded.get(keyOf(file))
    if (known) return known
    const { uploadId } = await call<Attachment>('POST', '/uploads', { query: { filename: file.name }, file })
    uploaded.set(keyOf(file), { uploadId })
    return { uploadId }
}

// Uploads the files one after another, then submits what names them.
export async function withUploads<T>(files: readonly File[], submit: (attachments: Attachment[]) => Promise<T>): Promise<T> {
    const fault = attachmentFault(files)
    if (fault) throw new Error(fault)
    const attachments: Attachment[] = []
    for (const file of files) attachments.push(await upload(file))
    const forget = () => files.forEach((file) => uploaded.delete(keyOf(file)))
    try {
        const answer = await submit(attachments)
        forget()
        return answer
    } catch (error) {
        if (error instanceof ApiError && error.status !== 0) forget()
        throw error
    }
}
