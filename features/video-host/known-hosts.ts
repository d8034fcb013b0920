import { videohostUrlUnits } from '../../contract/ingest.ts';
import type { VideoAddress } from './engine/ytdlp-command.ts';

/** The hosts that are always known, each with yt-dlp's name of the one extractor that may look at its pages. */
export const knownVideoHosts: Readonly<Record<string, string>> = {
  'youtube.com': 'youtube',
  'www.youtube.com': 'youtube',
  'm.youtube.com': 'youtube',
  'youtu.be': 'youtube',
};

export interface VideoHostsOptions {
  /** More hosts, by name. */
  readonly added: Readonly<Record<string, string>>;
  /** One origin on this machine in the place of a video host, such as `http://127.0.0.1:4000`; else null. */
  readonly openOrigin: string | null;
}

/** The closed table of the hosts from which ranges may be fetched. */
export class VideoHosts {
  readonly #extractors: ReadonlyMap<string, string>;
  readonly #openOrigin: string | null;

  constructor({ added, openOrigin }: VideoHostsOptions) {
    this.#extractors = new Map([...Object.entries(added), ...Object.entries(knownVideoHosts)]);
    this.#openOrigin = openOrigin;
  }

  /** An address as the host uses it, or in a few words why it is refused. */
  addressOf(text: string): VideoAddress | { readonly refused: string } {
    // All readers of addresses agree on a text without spaces, backslashes and control characters.
    const [, scheme, authority] = /^(https?):\/\/([^/?#\\\s]+)[^\\\s\p{Cc}]*$/iu.exec(text) ?? [];
    if (scheme === undefined || authority === undefined || !URL.canParse(text))
      return { refused: 'does not begin with https://' };
    const url = new URL(text);
    // It names a place in a document, and yt-dlp takes orders from it: which headers to send, which proxy to leave out.
    url.hash = '';
    const { href, hostname, host, origin, protocol } = url;
    if (href.length > videohostUrlUnits) return { refused: `must not be longer than ${videohostUrlUnits} characters` };
    if (origin === this.#openOrigin && authority === host) return { url: href, extractor: 'generic' };
    if (protocol !== 'https:') return { refused: 'must be https' };
    if (authority.toLowerCase() !== hostname) return { refused: 'must name a host without credentials and port' };
    const extractor = this.#extractors.get(hostname);
    return extractor === undefined ? { refused: 'is not at one of the known video hosts' } : { url: href, extractor };
  }
}
