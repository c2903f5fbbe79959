extension StaticSite {
    /// The path of the workflow in a repository.
    static let workflowPath = ".github/workflows/publish-client.yml"

    /// A workflow for GitHub Pages that publishes a folder of the repository. In the settings of the repository, the
    /// source of Pages must be "GitHub Actions".
    ///
    /// Every action is named by its commit, because tags can be moved.
    static func workflow(publishing folder: String) -> String {
        """
        # Publishes the OAuth client of this repository. Set Settings > Pages > Source to "GitHub Actions".
        name: Publish the client
        on:
          push:
            branches: [main]
          workflow_dispatch:
        permissions:
          contents: read
          pages: write
          id-token: write
        # A later push waits, so that a document is never published half.
        concurrency:
          group: pages
          cancel-in-progress: false
        jobs:
          publish:
            runs-on: ubuntu-24.04
            environment:
              name: github-pages
              url: ${{ steps.deployment.outputs.page_url }}
            steps:
              - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
                with:
                  persist-credentials: false
              - uses: actions/upload-pages-artifact@7b1f4a764d45c48632c6b24a0339c27f5614fb0b # v4.0.0
                with:
                  path: '\(folder.replacing("'", with: "''"))'
              - id: deployment
                uses: actions/deploy-pages@d6db90164ac5ed86f2b6aed7e0febac5b3c0c03e # v4.0.5

        """
    }
}
