# What Python's email finds in the header From: of mails: reads their paths from standard input, one a line, and prints
# for each the addresses, separated by tabs. A group counts as two addresses, and a header that makes it fail as none.
import email, email.policy, sys

for path in sys.stdin:
    found = []
    try:
        with open(path.strip(), 'rb') as mail:
            message = email.message_from_bytes(mail.read(), policy=email.policy.default)
        for header in message.get_all('From', []):
            for group in header.groups:
                found += [address.addr_spec for address in group.addresses]
                found += ['', ''] if group.display_name is not None else []
    except Exception:
        found = []
    sys.stdout.buffer.write('\t'.join(found).encode('utf-8', 'surrogateescape') + b'\n')
