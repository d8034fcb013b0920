import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The part of the native response that is used here. Valid until it ended or was aborted; any later call throws. */
export interface UwsResponse {
  onAborted(listener: () => void): void;
  onData(listener: (chunk: ArrayBuffer, last: boolean) => void): void;
  onWritable(listener: (offset: number) => boolean): void;
  cork(writes: () => void): void;
  writeStatus(status: string): void;
  writeHeader(name: string, value: string): void;
  end(body: Uint8Array | string, closeConnection?: boolean): void;
  endWithoutBody(): void;
  /** Writes one chunk of a body without a length; false where the system did not take all that is gathered. */
  write(chunk: Uint8Array): boolean;
  tryEnd(chunk: Uint8Array, totalBytes: number): [ok: boolean, responded: boolean];
  getWriteOffset(): number;
  pause(): void;
  resume(): void;
  close(): void;
}

/** The native request: valid only until its handler returns. */
export interface UwsRequest {
  getMethod(): string;
  getUrl(): string;
  /** Undefined without a question mark, empty after a bare one. */
  getQuery(): string | undefined;
  forEach(visit: (name: string, value: string) => void): void;
}

/** An opaque native pointer. */
export type UwsListenSocket = object;

interface UwsApp {
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): void;
  listen(host: string, port: number, options: number, listener: (socket: UwsListenSocket | false) => void): void;
  close(): void;
}

interface UwsBinding {
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  App(): UwsApp;
  us_listen_socket_close(socket: UwsListenSocket): void;
  us_socket_local_port(socket: UwsListenSocket): number;
}

/** The platform that a native binary is built for. */
export interface NativeTarget {
  readonly platform: string;
  readonly arch: string;
  /** The number of Node's binary interface: `process.versions.modules`. */
  readonly modules: string;
}

const require = createRequire(import.meta.url);

export const THIS_RUNTIME: NativeTarget = {
  platform: process.platform,
  arch: process.arch,
  modules: process.versions.modules,
};

export function uwsBinaryName(target: NativeTarget): string {
  return `uws_${target.platform}_${target.arch}_${target.modules}.node`;
}

/**
 * The path of the native binary for a target, or undefined. Both layouts are known: the official package keeps its
 * binaries in its folder, the re-pack in `binaries/`.
 */
export function findUwsBinary(target: NativeTarget, folder = packageFolder()): string | undefined {
  if (folder === undefined) return undefined;
  const name = uwsBinaryName(target);
  return [join(folder, 'binaries', name), join(folder, name)].find((path) => existsSync(path));
}

/**
 * Loads the binary itself, never the package's entry. That one hides a failed load behind a fallback that lacks half of the
 * interface and writes to stdout. Throws the loader's error, for example on a C library that is too old.
 */
export function loadUws(path: string): UwsBinding {
  const binding: UwsBinding = require(path);
  return binding;
}

/** The folder of the package; undefined if it is not installed. */
export function packageFolder(): string | undefined {
  let folder: string;
  try {
    folder = dirname(require.resolve('uWebSockets.js'));
  } catch {
    return undefined;
  }
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
