/** For the options of a driver's TLS sockets. While a driver connects, it listens for the first error of its socket
 * only. A TLS socket can have two: its certificate is not trusted, and the server's next bytes are not TLS. The second
 * one would end the process. On a socket with a signal, Node itself keeps a listener. This signal keeps no listener in
 * turn, and so no socket: it never aborts. */
export const listensForAllErrors = {
  signal: Object.assign(new AbortController().signal, { addEventListener: () => undefined }),
};
