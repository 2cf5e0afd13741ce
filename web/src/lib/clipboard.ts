// Copies text; the clipboard's own interface is there only on HTTPS and on this machine.
export async function copyText(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text)
        return true
    } catch {
        const area = document.createElement('textarea')
        area.value = text
        area.className = 'unseen'
        document.body.append(area)
        area.select()
        const isDone = document.execCommand('copy')
        area.remove()
        return isDone
    }
}
