// An address of this page to come back to, or the start: never one of another site.
export function ownAddress(wanted: string | null): string {
    if (!wanted?.startsWith('/') || wanted.startsWith('//') || wanted.includes('\\')) return '/'
    const url = new URL(wanted, 'http://own.invalid')
    return url.host === 'own.invalid' ? url.pathname + url.search + url.hash : '/'
}
