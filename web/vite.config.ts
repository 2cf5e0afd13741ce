import { defineConfig } from 'vite'

// The addresses of the server itself; a development server hands them on (LONGSHORE_URL names where).
const served = /^\/(?!src\/|@|node_modules\/|index\.html|$)[^.]*$/

export default defineConfig({
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
    build: {
        outDir: '../build/web/dist',
        emptyOutDir: true,
        target: 'es2022',
        // Under the Content-Security-Policy nothing may be inside the document or a data URL.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        rollupOptions: {
            input: { index: 'index.html', server: 'src/styles/server.css' },
            output: {
                // The stylesheet of pages that the server makes itself has a name that they can know.
                assetFileNames: (asset) =>
                    asset.names.includes('server.css') ? 'assets/server.css' : 'assets/[name]-[hash][extname]',
            },
        },
    },
    server: {
        proxy: { [served.source]: process.env['LONGSHORE_URL'] ?? 'http://127.0.0.1:3000' },
    },
})
