// Files that go with instructions.

export interface Attachment {
    filename: string
    content: string
    encoding: 'base64'
}

const FILES_MAXIMUM = 25
const FILE_BYTES = 50 * 1024 * 1024
const BODY_BYTES = 70 * 1024 * 1024

// Why these cannot be sent together, null when they can.
export function attachmentFault(files: readonly { name: string; size: number }[]): string | null {
    if (files.length > FILES_MAXIMUM) return `At most ${FILES_MAXIMUM} files can go with one message.`
    const large = files.find((file) => file.size > FILE_BYTES)
    if (large) return `${large.name} is larger than 50 MB.`
    const whole = files.reduce((sum, file) => sum + (file.size * 4) / 3, 0)
    if (whole > BODY_BYTES) return 'Together the files are too large for one message.'
    const names = new Set<string>()
    for (const { name } of files) {
        if (names.has(name)) return `There are two files of the name ${name}.`
        names.add(name)
    }
    return null
}

export function base64(bytes: Uint8Array): string {
    let binary = ''
    for (let at = 0; at < bytes.length; at += 0x8000)
        binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
    return btoa(binary)
}

export async function readAttachments(files: readonly File[]): Promise<Attachment[]> {
    const read = async (file: File): Promise<Attachment> => ({
        filename: file.name,
        content: base64(new Uint8Array(await file.arrayBuffer())),
        encoding: 'base64',
    })
    return Promise.all(files.map(read))
}
