/** A server that speaks the OpenAI interface. The key is for its requests alone: it is never logged or stored. */
export interface HostedProvider {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** On this machine: what is sent there does not leave it. */
  readonly isLocal: boolean;
}

const defaultBaseUrl = 'https://api.openai.com/v1';

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);

/** What is wrong with a base URL, without repeating it: it may hold a secret. */
function complaintOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return 'OPENAI_BASE_URL is not an http(s) address';
  if (url.username !== '' || url.password !== '') return 'OPENAI_BASE_URL must not hold a name or a password';
  if (url.search !== '' || url.hash !== '') return 'OPENAI_BASE_URL must not have a query or a fragment';
  if (url.protocol === 'http:' && !isLoopback(url)) return 'OPENAI_BASE_URL must be https outside this machine';
  return null;
}

/** The provider that the environment names, or why there is none. */
export function hostedProvider(
  environment: Readonly<Record<string, string | undefined>>,
): HostedProvider | { readonly refused: string } {
  const given = environment.OPENAI_BASE_URL ?? '';
  const text = given === '' ? defaultBaseUrl : given;
  const refused = complaintOf(text);
  if (refused !== null) return { refused };
  const url = new URL(text);
  const key = environment.OPENAI_API_KEY ?? '';
  const isLocal = isLoopback(url);
  if (key === '' && !isLocal) return { refused: 'OPENAI_API_KEY is needed for a server outside this machine' };
  // What a header can hold.
  if (key !== '' && !/^[!-~]{1,1024}$/.test(key)) return { refused: 'OPENAI_API_KEY is not a key' };
  return { baseUrl: url.href.replace(/\/+$/, ''), apiKey: key === '' ? null : key, isLocal };
}
