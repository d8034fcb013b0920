import type { HostAddress } from '../../client/host-address.ts';
import { WrongCall } from './call.ts';

/** The host that the environment names; null where it names none. Throws `WrongCall` where it names a half of one. */
export function namedHost({ MEDIA_STUDY_HOST, MEDIA_STUDY_TOKEN }: NodeJS.ProcessEnv): HostAddress | null {
  const [baseUrl, token] = [MEDIA_STUDY_HOST || null, MEDIA_STUDY_TOKEN || null];
  if (baseUrl === null && token === null) return null;
  if (baseUrl === null || token === null) {
    const [given, missing] = baseUrl === null ? ['TOKEN', 'HOST'] : ['HOST', 'TOKEN'];
    throw new WrongCall(`MEDIA_STUDY_${given} is set and MEDIA_STUDY_${missing} is not: set both, or neither`);
  }
  if (!/^https?:\/\/[^/]/.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new WrongCall(`MEDIA_STUDY_HOST ${baseUrl}: the address of a host is needed, such as http://127.0.0.1:4312`);
  }
  return { baseUrl, token };
}
