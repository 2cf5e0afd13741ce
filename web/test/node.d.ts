// The little of Node.js that the tests use; its own types would change those of the browser's timers.
declare module 'node:fs' {
    export function readFileSync(path: URL): Uint8Array
    export function readFileSync(path: URL, encoding: 'utf8'): string
    export function readdirSync(path: URL): string[]
}

declare module 'node:crypto' {
    export const webcrypto: Crypto
}
