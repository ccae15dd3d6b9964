/** An OAuth client provider for either generation of the SDK that keeps everything in memory and opens no browser. */
export class MemoryProvider {
  readonly redirectUrl: string;
  readonly expectedState = crypto.randomUUID();
  /** Where a person would have to go to sign in. */
  link: URL | null = null;
  saved: { access_token: string; refresh_token?: string; token_type: string } | undefined;
  #client: { client_id: string } | undefined;
  #verifier = "";
  #discovery: unknown;

  constructor(redirectUrl: string) {
    this.redirectUrl = redirectUrl;
  }

  get clientMetadata() {
    return { client_name: "SDK client", redirect_uris: [this.redirectUrl], token_endpoint_auth_method: "none" };
  }

  state() {
    return this.expectedState;
  }

  clientInformation() {
    return this.#client;
  }

  saveClientInformation(client: { client_id: string }) {
    this.#client = client;
  }

  tokens() {
    return this.saved;
  }

  saveTokens(tokens: { access_token: string; refresh_token?: string; token_type: string }) {
    this.saved = tokens;
  }

  redirectToAuthorization(link: URL) {
    this.link = link;
  }

  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }

  codeVerifier() {
    return this.#verifier;
  }

  saveDiscoveryState(state: unknown) {
    this.#discovery = state;
  }

  discoveryState() {
    return this.#discovery;
  }
}
