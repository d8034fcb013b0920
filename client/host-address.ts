/** Where a host listens and the token that it accepts. */
export interface HostAddress {
  /** The origin, such as `http://127.0.0.1:41879`. */
  readonly baseUrl: string;
  readonly token: string;
}

/** The part of a host's start line that a client needs. */
export interface StartLine {
  readonly listening: string;
  readonly authorizationToken: string;
}

/** A start line, parsed or as text, an address, or a function that finds the address anew after the host was restarted. */
export type HostPlace = string | StartLine | HostAddress | (() => HostAddress | Promise<HostAddress>);

const trimmed = ({ baseUrl, token }: HostAddress): HostAddress => ({ baseUrl: baseUrl.replace(/\/+$/, ''), token });

const isStartLine = (place: StartLine | HostAddress): place is StartLine => 'listening' in place;

/** Makes a function that finds the address. Throws `TypeError` for a text that is no start line. */
export function addressFinder(place: HostPlace): () => HostAddress | Promise<HostAddress> {
  if (typeof place === 'function') return async () => trimmed(await place());
  const address = typeof place === 'string' ? parsedLine(place) : place;
  const found = trimmed(
    isStartLine(address) ? { baseUrl: address.listening, token: address.authorizationToken } : address,
  );
  return () => found;
}

function parsedLine(text: string): StartLine {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed === 'object' && parsed !== null && 'listening' in parsed && 'authorizationToken' in parsed) {
    const { listening, authorizationToken } = parsed;
    if (typeof listening === 'string' && typeof authorizationToken === 'string')
      return { listening, authorizationToken };
  }
  throw new TypeError('not a start line: it has no listening and no authorizationToken');
}
