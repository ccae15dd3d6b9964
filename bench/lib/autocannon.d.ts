/** The part of autocannon that is used here; the package carries no types. */
declare module "autocannon" {
  interface Request {
    method?: string;
    path?: string;
    headers?: Record<string, string>;
    body?: Buffer;
    setupRequest?(request: Request, context: object): Request;
    onResponse?(status: number, body: string, context: object): void;
  }

  interface Options {
    url: string;
    connections: number;
    /** Requests in all. */
    amount: number;
    /** Seconds. */
    timeout: number;
    requests: Request[];
  }

  interface Result {
    errors: number;
    timeouts: number;
  }

  export default function autocannon(options: Options): Promise<Result>;
}
