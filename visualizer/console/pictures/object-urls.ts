import type { StudyHost } from '../../../client/study-host.ts';

/** Pictures that are kept: those of a wide screen several times over. */
const keptPictures = 400;

/** Addresses of the pictures that this page has loaded, the longest unused first. An object never changes under its content id. */
const loaded = new WeakMap<StudyHost, Map<string, Promise<string>>>();

/** The address of a picture that a fact of a study names, for an `<img>`: the element itself could not send the token. */
export function objectUrl(host: StudyHost, runtimeId: string, contentId: string): Promise<string> {
  const urls = loaded.get(host) ?? new Map<string, Promise<string>>();
  loaded.set(host, urls);
  const known = urls.get(contentId);
  const url = known ?? host.evidenceObjects.read(runtimeId, contentId).then((blob) => URL.createObjectURL(blob));
  urls.delete(contentId);
  urls.set(contentId, url);
  // What failed is asked for again when it is needed next.
  if (known === undefined) url.catch(() => urls.delete(contentId));
  for (const [oldest, address] of urls) {
    if (urls.size <= keptPictures) break;
    urls.delete(oldest);
    address.then(URL.revokeObjectURL, () => undefined);
  }
  return url;
}
