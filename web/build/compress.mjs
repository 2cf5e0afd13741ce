// Writes a gzip and a brotli form beside each built file that gets smaller by it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const dist = fileURLToPath(new URL('../../build/web/dist', import.meta.url))
const forms = {
    gz: (bytes) => gzipSync(bytes, { level: 9 }),
    br: (bytes) =>
        brotliCompressSync(bytes, {
            params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
        }),
}

const files = (folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)],
    )

let script = 0
for (const file of files(dist)) {
    const bytes = readFileSync(file)
    for (const [ending, compress] of Object.entries(forms)) {
        const smaller = compress(bytes)
        if (smaller.length < bytes.length) writeFileSync(`${file}.${ending}`, smaller)
        if (ending === 'gz' && file.endsWith('.js')) script += smaller.length
    }
}
console.log(`${(script / 1000).toFixed(1)} kB of script when gzipped`)
