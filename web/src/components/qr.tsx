// A QR code as a drawing. Its maker is loaded only where one is shown.
import { useEffect, useState } from 'preact/hooks'

// One path of unit squares, two to the side left free as the quiet zone.
async function draw(text: string): Promise<{ path: string; side: number }> {
    const { default: makeCode } = await import('qrcode-generator')
    const code = makeCode(0, 'M')
    code.addData(text)
    code.make()
    const count = code.getModuleCount()
    let path = ''
    for (let y = 0; y < count; y++)
        for (let x = 0; x < count; x++) if (code.isDark(y, x)) path += `M${x + 2} ${y + 2}h1v1h-1z`
    return { path, side: count + 4 }
}

export function QrCode({ text, label }: { text: string; label: string }) {
    const [drawn, setDrawn] = useState<{ path: string; side: number } | null>(null)
    useEffect(() => {
        let isOver = false
        draw(text)
            .then((made) => !isOver && setDrawn(made))
            // The text stands beside it anyway.
            .catch(() => undefined)
        return () => {
            isOver = true
        }
    }, [text])
    return (
        <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${drawn?.side ?? 1} ${drawn?.side ?? 1}`}>
            {drawn && <path d={drawn.path} fill="currentColor" />}
        </svg>
    )
}
