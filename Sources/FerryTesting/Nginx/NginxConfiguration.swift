// Ferry: FerryTesting
// The configuration file of the tests' nginx.

/// The text of a configuration that keeps everything in one folder.
struct NginxConfiguration {
    var folder: TemporaryFolder
    var certificates: TestCertificates
    /// In the order of ``Nginx/Listener``.
    var ports: [Int]
    var limitRate: Int?

    // One process without workers: ending it leaves nothing behind, and it reads files as the user who runs the tests.
    var text: String {
        """
        daemon off;
        master_process off;
        pid \(folder.file("nginx.pid"));
        error_log \(folder.file("error.log"));
        events { worker_connections 1024; }
        http {
            types { }
            default_type application/octet-stream;
            sendfile on;
            tcp_nopush on;
            keepalive_timeout 60s;
            log_format tests '$request_method $request_uri $server_protocol $status $body_bytes_sent '
                             '"$http_range" $connection';
            access_log \(folder.file("access.log")) tests;
            client_body_temp_path \(folder.file("body"));
            proxy_temp_path \(folder.file("proxy"));
            fastcgi_temp_path \(folder.file("fastcgi"));
            uwsgi_temp_path \(folder.file("uwsgi"));
            scgi_temp_path \(folder.file("scgi"));
            root \(folder.file("files"));
            limit_rate \(limitRate ?? 0);
            ssl_certificate \(certificates.certificateFile);
            ssl_certificate_key \(certificates.keyFile);
            server { listen 127.0.0.1:\(ports[0]); }
            server { listen 127.0.0.1:\(ports[1]) ssl; }
            server { listen 127.0.0.1:\(ports[2]) ssl http2; }
        }

        """
    }
}
