// A real OpenID provider on loopback for the flows of sign-in: node provider.mjs PORT REDIRECT_URI ALGORITHM
import { generateKeyPairSync } from "node:crypto";
import * as openid from "oidc-provider";

const [port, redirect, algorithm] = process.argv.slice(2);
const Provider = openid.Provider ?? openid.default;

function key(kind, options, alg) {
        const { privateKey } = generateKeyPairSync(kind, options);
        return { ...privateKey.export({ format: "jwk" }), use: "sig", alg, kid: alg };
}

const provider = new Provider(`http://127.0.0.1:${port}`, {
        clients: [{
                client_id: "longshore",
                client_secret: "a secret of the flows",
                redirect_uris: [redirect],
                id_token_signed_response_alg: algorithm,
        }],
        jwks: { keys: [key("rsa", { modulusLength: 2048 }, "RS256"), key("ec", { namedCurve: "P-256" }, "ES256")] },
        cookies: { keys: ["a key of the flows"] },
        claims: { profile: ["preferred_username"], email: ["email", "email_verified"] },
        findAccount: (context, id) => ({
                accountId: id,
                claims: () => ({ sub: id, preferred_username: id, email: `${id}@example.com`, email_verified: true }),
        }),
        enabledJWA: { idTokenSigningAlgValues: ["RS256", "ES256"] },
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
