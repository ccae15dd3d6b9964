/** Files that hold keys, by name. They are never read, wherever they are and whether or not they are tracked. */
const SECRET_FILE =
  /^(?:\.env(?:\..+)?|\.envrc|\.netrc|_netrc|\.npmrc|\.pypirc|\.htpasswd|\.git-credentials|\.dev\.vars(?:\..+)?|id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-].*)?|.+\.(?:pem|key|p12|pfx|pkcs12|jks|keystore|kdbx|ppk|asc|gpg)|credentials(?:\.json)?|service-account[^/]*\.json|secrets?\.(?:ya?ml|json|toml|env))$/i;
/** Templates are documentation; public keys are public. */
const NO_SECRET = /(?:\.(?:example|sample|template|dist|defaults?)|\.pub)$/i;

export function isSecretFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return SECRET_FILE.test(name) && !NO_SECRET.test(name);
}
