"""The little Internet inside the namespace: who has which name and which address.

The addresses are public as far as any program can tell, so the product runs without its dev network.
`scripts/test-independent` gives them to the namespace; nothing leaves it.
"""
SERVERS = "93.184.216.34"
RESOLVER = "93.184.216.53"
RECORDER = "93.184.216.99"
SITE_ADDRESS = "93.184.216.77"
PLAIN_ADDRESS = "93.184.216.88"

# Where a stranger's document must not lead. Something listens on each of them.
INSIDE = ["127.0.0.1", "10.0.0.5", "169.254.169.254", "192.168.7.7", "100.64.0.1", "::1", "fd00::5"]

DOMAIN = "sandbox-net.com"
ENTRYWAY = f"entryway.{DOMAIN}"
PDS = f"pds.{DOMAIN}"
DIRECTORY = "plc.directory"
SITE = "bot.example.com"

ISSUER = f"https://{ENTRYWAY}"
PDS_ORIGIN = f"https://{PDS}"

# The client of a user's own: its files are at a static host, and its id is the URL of its document.
CLIENT = f"https://{SITE}/"
CLIENT_ID = f"{CLIENT}oauth-client-metadata.json"
CALLBACK = f"{CLIENT}callback.html"

# Whose handle is told by DNS, whose by their own host, and whose account is that host.
ALICE = f"alice.{DOMAIN}"
BOB = f"bob.{DOMAIN}"
CAROL = f"carol.{DOMAIN}"
CAROL_DID = f"did:web:{CAROL}"

# A server of plain OAuth, and a resource on another host. The issuer has a path, and the client's id is no URL.
PLAIN = "plain.example.com"
PLAIN_ISSUER = f"https://{PLAIN}/tenant"
PLAIN_RESOURCE = f"api.{PLAIN}"
PLAIN_CLIENT_ID = "cli-7f3a"
