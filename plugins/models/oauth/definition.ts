/** How one signs in to a server of OAuth 2, as data. What a server does in its own way stands here too. */
export interface OAuthDefinition {
  /** The id of the model provider that it is for. */
  readonly id: string;
  readonly displayName: string;
  /** Tried against the vendor's own servers. Default false. */
  readonly verified?: boolean;
  /** Public: a program that is handed out cannot keep a secret. */
  readonly clientId: string;
  readonly scopes?: readonly string[];
  /** Where a code is asked for in a browser, and where it comes back to. */
  readonly browser?: {
    readonly authorizeUrl: string;
    /** Only what the server insists on; else a port of the moment on 127.0.0.1. */
    readonly redirect?: { readonly host?: '127.0.0.1' | 'localhost'; readonly port?: number; readonly path?: string };
    readonly parameters?: Readonly<Record<string, string>>;
  };
  /** Where a code is asked for that a person types on another device. */
  readonly device?: { readonly url: string };
  readonly tokenUrl: string;
  /** Of the answers; needed where they carry an `id_token`. Default: the origin of `tokenUrl`. */
  readonly issuer?: string;
  /** How the token URL reads what it is sent. Default `form`, as the standard has it. */
  readonly tokenBody?: 'form' | 'json';
  readonly revokeUrl?: string;
  /** Headers for the servers above. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The token of the sign-in only buys the one that requests carry: at this address, again and again. */
  readonly exchange?: {
    readonly url: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** The field of the answer with the address to use, below its top: `['endpoints', 'api']`. */
    readonly baseUrl?: readonly string[];
  };
  /** Hosts that may get the token. A server that names its own address (`exchange.baseUrl`) adds it, if it ends as one of these does. */
  readonly hosts: readonly string[];
  /** What goes with each request of a model. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** Headers taken from claims of a token: the names that lead to the value. */
  readonly claimHeaders?: Readonly<Record<string, readonly string[]>>;
  /** The same for the name of the account, among claims or in the answer itself; the first that is there counts. */
  readonly accountFrom?: readonly (readonly string[])[];
}
