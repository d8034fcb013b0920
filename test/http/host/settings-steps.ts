import type { ExecutionContext } from 'ava';
import type { ErrorCode } from '../../../contract/base/errors.ts';
import { type HostSetting, hostSettings, type SettingsChangeRequest } from '../../../contract/settings.ts';
import { dataRootAt } from '../../../storage/objects/data-root.ts';
import { TestHost, type TestHostOptions } from '../../host/test-host.ts';
import { pageOrigin } from './contract.ts';

/** The fields of an answer to an allowed origin, beside the common ones. */
export const cors = ['access-control-allow-origin', 'access-control-expose-headers', 'vary'];

/** The fields of a request of the page. */
export const headers = { Origin: pageOrigin };

/** The environment of a machine without an engine: its model server never answers. */
const none = { MEDIA_STUDY_POCKETSPHINX: '/no/pocketsphinx', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };

/** A host with the reads and changes of its settings, and the path of their file. */
export async function openedSettings(t: ExecutionContext, options: TestHostOptions = {}) {
  const host = await TestHost.open(t, { environment: none, ...options });
  const path = dataRootAt(host.dataRoot).settings;
  const change = (request: SettingsChangeRequest) =>
    host.ask('POST', '/v1/settings-changes', { headers, json: { schema: 'studio.settings-change.v1', ...request } });
  const read = async () => host.granted(t, await host.get('/v1/settings'), 200, hostSettings);
  const setting = async (name: string): Promise<HostSetting | undefined> =>
    (await read()).settings.find((row) => row.name === name);
  return { host, path, change, read, setting };
}

/** Refused changes by what is wrong with them: the request, its code and its message. Nothing may be written. */
export type RefusedChanges = readonly (readonly [string, SettingsChangeRequest, ErrorCode, RegExp])[];
